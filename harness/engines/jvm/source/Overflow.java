package colconf;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** The values of a block that memory has no room for: a file of pieces, each of one column. */
class Overflow {
    private static final int COPIED = 1 << 20;
    private final String path;
    private final RandomAccessFile file;
    private final List[] pieces;

    Overflow(String path, int columns) throws IOException {
        this.path = path;
        file = new RandomAccessFile(Main.path(path).toFile(), "rw");
        pieces = new List[columns];
        for (int i = 0; i < columns; i++) pieces[i] = new ArrayList();
    }

    /** Adds text behind that of a column. */
    void add(int column, StringBuilder text) throws IOException {
        if (text.length() == 0) return;
        pieces[column].add(new long[] {file.getFilePointer(), text.length()});
        for (int at = 0; at < text.length(); at += COPIED) {
            String part = text.substring(at, Math.min(text.length(), at + COPIED));
            file.write(part.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Writes the text of a column. */
    void copy(int column, OutputStream out) throws IOException {
        byte[] buffer = new byte[COPIED];
        for (int i = 0; i < pieces[column].size(); i++) {
            long[] piece = (long[]) pieces[column].get(i);
            file.seek(piece[0]);
            for (long left = piece[1]; left > 0;) {
                int count = (int) Math.min(left, COPIED);
                file.readFully(buffer, 0, count);
                out.write(buffer, 0, count);
                left -= count;
            }
        }
    }

    void drop() throws IOException {
        file.close();
        Files.deleteIfExists(Main.path(path));
    }
}
