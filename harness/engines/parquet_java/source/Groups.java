package colconf;

import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.io.InputFile;

/** Builds a ParquetReader of the Group object model, with a read support of ours. */
public class Groups extends ParquetReader.Builder {
    private final ReadSupport support;

    public Groups(InputFile file, ReadSupport support) {
        super(file);
        this.support = support;
    }

    protected ReadSupport getReadSupport() {
        return support;
    }
}
