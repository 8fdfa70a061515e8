package colconf;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A file system of one file, so that no name is taken for a URL, and no checksum file beside it is looked for. */
public class LocalFiles extends FileSystem {
    static final Path PATH = new Path("/file.orc");
    private final java.nio.file.Path file;

    public LocalFiles(String name, org.apache.hadoop.conf.Configuration conf) {
        setConf(conf);
        file = Main.path(name);
    }

    public URI getUri() {
        return URI.create("file:///");
    }

    public FSDataInputStream open(Path path, int buffer) throws IOException {
        return new FSDataInputStream(new LocalFileStream(file));
    }

    public FileStatus getFileStatus(Path path) throws IOException {
        if (!Files.isRegularFile(file, new java.nio.file.LinkOption[0])) {
            throw new java.io.FileNotFoundException(file.toString());
        }
        return new FileStatus(Files.size(file), false, 1, 4096L, 0L, path);
    }

    public FileStatus[] listStatus(Path path) throws IOException {
        return new FileStatus[] {getFileStatus(path)};
    }

    public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite, int buffer,
            short replication, long block, Progressable progress) {
        throw new UnsupportedOperationException("files are only read");
    }

    public FSDataOutputStream append(Path path, int buffer, Progressable progress) {
        throw new UnsupportedOperationException("files are only read");
    }

    public boolean rename(Path from, Path to) {
        throw new UnsupportedOperationException("files are only read");
    }

    public boolean delete(Path path, boolean recursive) {
        throw new UnsupportedOperationException("files are only read");
    }

    public boolean mkdirs(Path path, FsPermission permission) {
        throw new UnsupportedOperationException("files are only read");
    }

    public void setWorkingDirectory(Path path) {
    }

    public Path getWorkingDirectory() {
        return new Path("/");
    }
}
