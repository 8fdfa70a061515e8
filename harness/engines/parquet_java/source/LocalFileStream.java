package colconf;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import org.apache.parquet.io.DelegatingSeekableInputStream;

/** An open file and its position. */
public class LocalFileStream extends DelegatingSeekableInputStream {
    private final FileChannel channel;

    LocalFileStream(FileChannel channel) {
        super(Channels.newInputStream(channel));
        this.channel = channel;
    }

    public long getPos() throws IOException {
        return channel.position();
    }

    public void seek(long position) throws IOException {
        if (position < 0) throw new IOException("Negative seek offset");
        channel.position(position);
    }

    public void close() throws IOException {
        channel.close();
    }
}
