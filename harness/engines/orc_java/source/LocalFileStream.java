package colconf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.fs.FSInputStream;

/** An open file and its position. */
public class LocalFileStream extends FSInputStream {
    private final FileChannel channel;

    LocalFileStream(Path path) throws IOException {
        channel = FileChannel.open(path, new OpenOption[] {StandardOpenOption.READ});
    }

    public void seek(long position) throws IOException {
        if (position < 0) throw new IOException("Negative seek offset");
        channel.position(position);
    }

    public long getPos() throws IOException {
        return channel.position();
    }

    public boolean seekToNewSource(long position) {
        return false;
    }

    public int read() throws IOException {
        byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 255;
    }

    public int read(byte[] buffer, int offset, int length) throws IOException {
        return channel.read(ByteBuffer.wrap(buffer, offset, length));
    }

    public void close() throws IOException {
        channel.close();
    }
}
