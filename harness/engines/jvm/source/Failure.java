package colconf;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** An exception as the error of a reply: the root's class, and the first lines of all messages. */
public class Failure {
    private static final int DEPTH = 20, LINE = 600, MESSAGE = 4000;
    // What libraries say of a codec or a type that they do not bring.
    private static final Pattern LACKS = Pattern.compile(
        "\\.BrotliCodec\\b|\\.Lz[o]Codec\\b|brotli4j|Class org\\.apache\\.hadoop\\.io\\.compress\\.\\w+ was not found"
        + "|No enum constant org\\.apache\\.parquet\\.hadoop\\.metadata\\.CompressionCodecName\\."
        + "|no byte stream split reader for type"
        + "|Unknown type TIMESTAMP_INSTANT");

    /** Returns the member `error` of a reply about what no engine was asked. */
    static String of(String kind, String message, String phase) {
        return "\"error\":{\"kind\":\"" + kind + "\",\"class\":\"colconf.Main\",\"message\":" + Json.quoted(message)
            + ",\"phase\":\"" + phase + "\"}";
    }

    /** Returns the member `error` of a reply; `file` is called `name` in messages. */
    static String of(Throwable error, String phase, String step, String file, String name) {
        List chain = new ArrayList();
        for (Throwable at = error; at != null && chain.size() < DEPTH; at = at.getCause()) chain.add(at);
        Throwable root = (Throwable) chain.get(chain.size() - 1);
        String message = message(chain);
        if (message.isEmpty()) message = root.getClass().getName();
        if (!name.isEmpty()) message = message.replace(name, file);
        if (message.length() > MESSAGE) message = message.substring(0, MESSAGE);
        return "\"error\":{\"kind\":\"" + kind(chain, root) + "\",\"class\":" + Json.quoted(root.getClass().getName())
            + ",\"message\":" + Json.quoted(message) + ",\"phase\":" + Json.quoted(phase)
            + (step.isEmpty() ? "" : ",\"step\":\"" + step + "\"") + "}";
    }

    private static String message(List chain) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < chain.size(); i++) {
            String line = String.valueOf(((Throwable) chain.get(i)).getMessage()).trim();
            if (line.equals("null")) continue;
            if (line.indexOf('\n') >= 0) line = line.substring(0, line.indexOf('\n'));
            if (line.length() > LINE) line = line.substring(0, LINE);
            if (out.indexOf(line) < 0) out.append(out.length() == 0 ? "" : " | caused by: ").append(line);
        }
        return out.toString();
    }

    private static String kind(List chain, Throwable root) {
        boolean lacks = root instanceof Unsupported;
        for (int i = 0; i < chain.size(); i++) {
            Throwable error = (Throwable) chain.get(i);
            // "Thrown to indicate some unexpected internal error has occurred in the Java Virtual Machine".
            if (error instanceof InternalError) return "panicked";
            if (error instanceof OutOfMemoryError) return isOurs(error) ? "misspoke" : "out_of_memory";
            // Values nested deeper than our own code goes say nothing of the engine.
            if (error instanceof StackOverflowError) return isOurs(error) ? "unsupported" : "panicked";
            lacks |= LACKS.matcher(String.valueOf(error.getMessage())).find();
        }
        if (lacks) return "unsupported";
        return isOurs(root) ? "misspoke" : "refused";
    }

    /** Returns whether the code that failed is the adapter's, but for what an engine asks of our files. */
    private static boolean isOurs(Throwable error) {
        if (!(error instanceof RuntimeException || error instanceof Error)) return false;
        StackTraceElement[] frames = error.getStackTrace();
        for (int i = 0; i < frames.length; i++) {
            String name = frames[i].getClassName();
            if (name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.")) continue;
            return name.startsWith("colconf.") && name.indexOf("LocalFile") < 0;
        }
        return false;
    }
}
