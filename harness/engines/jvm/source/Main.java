package colconf;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The child process of an engine in Java: harness/children/protocol.py, one request at a time, until `stop` or
 * the end of standard input. Arguments: the class of the engine, and its description as JSON.
 */
public class Main implements Runnable {
    // Our own recursion over nested values needs more than the engine's over the schema.
    private static final long STACK_BYTES = 256L << 20;
    private static final String VERSION = "3"; // of the protocol
    private static final String OPEN = "open", ROWS = "rows";
    private static String step = "";
    private final Engine engine;
    private final String description;
    private final InputStream requests;
    private final OutputStream replies;

    private Main(Engine engine, String description, InputStream requests, OutputStream replies) {
        this.engine = engine;
        this.description = description;
        this.requests = requests;
        this.replies = replies;
    }

    public static void main(String[] arguments) throws Exception {
        OutputStream replies = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err); // what an engine prints is no reply
        Engine engine = (Engine) Class.forName(arguments[0]).getDeclaredConstructor(new Class[0])
            .newInstance(new Object[0]);
        Main main = new Main(engine, arguments[1], new BufferedInputStream(System.in), replies);
        Thread thread = new Thread(null, main, "colconf", STACK_BYTES);
        thread.start();
        thread.join();
        System.exit(0); // also if the engine has left threads
    }

    /** Notes that the engine opens a file; if it fails now, that is the step of the error. */
    public static void opens() {
        step = OPEN;
    }

    /** Notes that the engine reads rows. */
    public static void readsRows() {
        step = ROWS;
    }

    /**
     * Returns the path of a name of any bytes, whatever the locale: a URI has the bytes themselves. A relative name
     * is one of the current folder; raises InvalidPathException for a name with U+0000, which no file has.
     */
    public static Path path(String file) {
        if (file.indexOf('\0') >= 0) throw new java.nio.file.InvalidPathException(file, "U+0000 in a name");
        byte[] raw = Tagged.bytes(file);
        StringBuilder out = new StringBuilder(file.startsWith("/") ? "file://"
            : Paths.get("", new String[0]).toAbsolutePath().toUri().toString());
        for (int i = 0; i < raw.length; i++) {
            char c = (char) (raw[i] & 255);
            boolean plain = c == '/' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
            if (plain) out.append(c);
            else Tagged.hex(out.append('%'), new byte[] {raw[i]});
        }
        return Paths.get(URI.create(out.toString()));
    }

    public void run() {
        try {
            String line = line();
            while (line != null && answer(line)) line = line();
        } catch (Throwable error) {
            fail(error); // the parent is gone, or an error could not be put into a reply
        }
    }

    /** Ends the process with status 1, even if there is no memory for a message. */
    private static void fail(Throwable error) {
        try {
            System.err.println("colconf: " + error);
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int c = requests.read();
        while (c >= 0 && c != '\n') {
            out.write(c);
            c = requests.read();
        }
        return c < 0 ? null : out.toString("UTF-8");
    }

    private void send(String text) throws IOException {
        replies.write((text + "\n").getBytes(StandardCharsets.ISO_8859_1));
        replies.flush();
    }

    /** Answers a line; returns whether others may follow. */
    private boolean answer(String line) throws IOException {
        Object request = null;
        try {
            request = Json.parse(line);
        } catch (RuntimeException error) {
            System.err.println("colconf: " + error);
        }
        boolean isRequest = request instanceof Map && ((Map) request).get("op") instanceof String
            && String.valueOf(((Map) request).get("id")).matches("[0-9]{1,18}");
        if (isRequest) return answer((Map) request);
        send("{\"v\":" + VERSION + ",\"id\":-1," + Failure.of("misspoke", "a line that is no request", "request") + "}");
        return true;
    }

    private boolean answer(Map request) throws IOException {
        String op = (String) request.get("op");
        String head = "{\"v\":" + VERSION + ",\"id\":" + request.get("id");
        if (!VERSION.equals(request.get("v"))) {
            String why = "version " + VERSION + " of the protocol is spoken here";
            send(head + "," + Failure.of("unsupported", why, "request") + "}");
            return true;
        }
        if (op.equals("stop")) {
            send(head + ",\"stopped\":true}");
            return false;
        }
        if (op.equals("describe")) {
            send(head + ",\"description\":" + description + "}");
            return true;
        }
        step = "";
        double before = cpu();
        String body;
        try {
            body = ask(op, request);
        } catch (Throwable error) {
            String file = file(request);
            body = Failure.of(error, op, step, file, nameOf(file));
        }
        send(head + ",\"cpu\":" + (cpu() - before) + "," + body + "}");
        return true;
    }

    /** Returns the name of a file in the engine's messages; "" for what is no name of a file. */
    private String nameOf(String file) {
        try {
            return file.isEmpty() ? "" : engine.nameOf(file);
        } catch (java.nio.file.InvalidPathException error) {
            return "";
        }
    }

    private static double cpu() {
        return ((com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private static String file(Map request) {
        List files = request.get("files") instanceof List ? (List) request.get("files") : Collections.EMPTY_LIST;
        Object file = request.containsKey("file") || files.isEmpty() ? request.get("file") : files.get(0);
        return file instanceof String ? (String) file : "";
    }

    private String ask(String op, Map request) throws Exception {
        if (request.containsKey("keys")) throw new Unsupported("the adapter has no way to give keys");
        Map config = (Map) request.get("config");
        if (op.equals("read")) {
            return "\"table\":" + tables(Collections.singletonList(request.get("file")), request, config, null);
        }
        Map query = (Map) request.get("query");
        boolean many = op.equals("read_many") || op.equals("query") && !request.containsKey("read");
        if (!many) throw new Unsupported("the adapter does not answer requests of " + op);
        return "\"tables\":[" + tables((List) request.get("files"), request, config, query) + "]";
    }

    private String tables(List files, Map request, Map config, Map query) throws Exception {
        Reply reply = new Reply();
        StringBuilder out = new StringBuilder();
        TableWriter[] tables = new TableWriter[files.size()];
        boolean whole = false;
        try {
            for (int i = 0; i < files.size(); i++) {
                String stem = request.get("spill") + "/" + request.get("id") + "-" + i + ".jsonl";
                tables[i] = new TableWriter(reply, stem);
                String file = (String) files.get(i);
                if (query == null) engine.read(file, config, tables[i]);
                else engine.query(file, config, query, tables[i]);
                out.append(i == 0 ? "" : ",").append(tables[i].end());
            }
            whole = true;
        } finally {
            for (int i = 0; !whole && i < tables.length && tables[i] != null; i++) tables[i].drop();
        }
        return out.toString();
    }
}
