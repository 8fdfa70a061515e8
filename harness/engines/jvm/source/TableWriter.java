package colconf;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;

/**
 * A tagged table, in blocks of 16,384 rows: inline as long as it fits the budget of its reply, then in a file.
 *
 * The values of a row are appended to `columns`, with `value` before each; then `endRow` is called. Of a block, which
 * may have 16,384 values of a mebibyte, only some stand in memory: the others wait in a file until it is whole.
 */
public class TableWriter {
    static final int BLOCK_ROWS = 16384;
    private static final int PENDING = 8 << 20; // characters of a block in memory
    public StringBuilder[] columns = new StringBuilder[0];
    private Overflow overflow = null;
    private long pending = 0;
    private final Reply reply;
    private final String path;
    private String fields = "";
    private long rows = 0;
    private int inBlock = 0;
    private StringBuilder blocks = new StringBuilder();
    private OutputStream spilled = null;

    TableWriter(Reply reply, String path) {
        this.reply = reply;
        this.path = path;
    }

    /** Begins the table, of columns with these names and types. */
    public void begin(String[] names, String[] types) {
        StringBuilder out = new StringBuilder();
        columns = new StringBuilder[names.length];
        for (int i = 0; i < names.length; i++) {
            out.append(i == 0 ? "" : ",").append(Tagged.field(names[i], types[i]));
            columns[i] = new StringBuilder();
        }
        fields = out.toString();
    }

    /** Returns where the next value of a column is appended. */
    public StringBuilder value(int column) {
        StringBuilder out = columns[column];
        if (inBlock > 0) out.append(',');
        return out;
    }

    public void endRow() throws IOException {
        rows++;
        inBlock++;
        pending = 0;
        for (int i = 0; i < columns.length; i++) pending += columns[i].length();
        if (inBlock == BLOCK_ROWS) endBlock();
        else if (pending > PENDING) overflows();
    }

    /** Moves the values that stand in memory behind those of their columns in the file of this block. */
    private void overflows() throws IOException {
        if (overflow == null) {
            overflow = new Overflow(path.replaceAll("[.]jsonl$", "-block.jsonl"), columns.length);
        }
        for (int i = 0; i < columns.length; i++) {
            overflow.add(i, columns[i]);
            columns[i] = new StringBuilder(); // without the room of the largest value
        }
    }

    private void endBlock() throws IOException {
        if (inBlock > 0 && columns.length > 0) {
            if (overflow != null) spillBlock();
            else put(block());
        }
        inBlock = 0;
    }

    private StringBuilder block() {
        StringBuilder line = new StringBuilder("[");
        for (int i = 0; i < columns.length; i++) {
            line.append(i == 0 ? "[" : ",[").append(columns[i]).append(']');
            columns[i].setLength(0);
        }
        return line.append(']');
    }

    /** Writes a block of which a part stands in a file. */
    private void spillBlock() throws IOException {
        overflows();
        spill();
        for (int i = 0; i < columns.length; i++) {
            write(i == 0 ? "[[" : ",[");
            overflow.copy(i, spilled);
            write("]");
        }
        write("]\n");
        overflow.drop();
        overflow = null;
    }

    private void put(StringBuilder line) throws IOException {
        if (spilled == null && blocks.length() + line.length() <= reply.budget) {
            blocks.append(blocks.length() == 0 ? "" : "\n").append(line);
            return;
        }
        spill();
        write(line.append('\n').toString());
    }

    /** Opens the file of the table, and moves the blocks into it that are already complete. */
    private void spill() throws IOException {
        if (spilled != null) return;
        spilled = new BufferedOutputStream(Files.newOutputStream(Main.path(path), new OpenOption[0]), 1 << 20);
        if (blocks.length() > 0) write(blocks.append('\n').toString());
        blocks = new StringBuilder();
    }

    private void write(String text) throws IOException {
        spilled.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns the JSON of the table. */
    String end() throws IOException {
        endBlock();
        String head = "{\"columns\":[" + fields + "],\"rows\":" + rows;
        if (spilled != null) {
            spilled.close();
            return head + ",\"spill\":" + Json.quoted(path) + "}";
        }
        reply.budget -= blocks.length();
        return head + ",\"blocks\":[" + blocks.toString().replace('\n', ',') + "]}";
    }

    /** Removes the files of a table that is not sent. */
    void drop() {
        try {
            if (overflow != null) overflow.drop();
            if (spilled == null) return;
            spilled.close();
            Files.deleteIfExists(Main.path(path));
        } catch (IOException error) {
            System.err.println("colconf: " + error);
        }
    }
}
