package colconf;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.api.InitContext;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/** GroupReadSupport of parquet-java, which also keeps the schema of the file, and requests some columns. */
public class Support extends ReadSupport {
    public MessageType schema = null;
    public MessageType requested = null;
    private final String[] columns;

    /** `columns` are the names of those to read, null for all. */
    public Support(String[] columns) {
        this.columns = columns;
    }

    public ReadSupport.ReadContext init(InitContext context) {
        schema = context.getFileSchema();
        requested = columns == null ? schema : projected(schema, columns);
        return new ReadSupport.ReadContext(requested);
    }

    public RecordMaterializer prepareForRead(
            Configuration conf, Map metadata, MessageType file, ReadSupport.ReadContext context) {
        Main.readsRows();
        return new GroupRecordConverter(context.getRequestedSchema());
    }

    static MessageType projected(MessageType schema, String[] names) {
        Type[] types = new Type[names.length];
        for (int i = 0; i < names.length; i++) types[i] = ((GroupType) schema).getType(names[i]);
        return new MessageType(schema.getName(), types);
    }
}
