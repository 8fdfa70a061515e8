package colconf;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A file as parquet-java asks for it, without Hadoop's file systems, which take names for URLs. */
public class LocalFile implements InputFile {
    private final Path path;

    public LocalFile(String name) {
        path = Main.path(name);
    }

    public long getLength() throws IOException {
        if (!Files.isRegularFile(path, new java.nio.file.LinkOption[0])) throw new FileNotFoundException(toString());
        return Files.size(path);
    }

    public SeekableInputStream newStream() throws IOException {
        return new LocalFileStream(FileChannel.open(path, new OpenOption[] {StandardOpenOption.READ}));
    }

    public String toString() {
        return path.toString();
    }
}
