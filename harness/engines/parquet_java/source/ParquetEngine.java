package colconf;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;

/** ParquetReader of parquet-java: records as it assembles them itself, in its Group object model. */
public class ParquetEngine extends Engine {
    private final Configuration conf = new Configuration();
    private final ParquetReadOptions options = HadoopReadOptions.builder(conf).build();
    private final ClassLoader nothing = new URLClassLoader(new URL[0], null);

    public void read(String file, Map config, TableWriter out) throws Exception {
        Main.opens();
        Support support = new Support(null);
        rows(groups(file, support), support, null, out);
    }

    public void query(String file, Map config, Map query, TableWriter out) throws Exception {
        Main.opens();
        String kind = (String) query.get("kind");
        if (kind.equals("row_group")) {
            rowGroup(file, Integer.parseInt((String) query.get("number")), out);
        } else if (kind.equals("project")) {
            String[] columns = names((List) query.get("columns"));
            Support support = new Support(columns);
            rows(groups(file, support), support, columns, out);
        } else if (kind.equals("filter")) {
            filter(file, config, query, out);
        } else {
            throw new Unsupported("parquet-java answers no queries of kind " + kind);
        }
    }

    private Groups groups(String file, Support support) {
        Groups groups = builder(file, support);
        groups.withConf(conf);
        return groups;
    }

    /**
     * Returns a builder whose own configuration is empty. It reads Hadoop's defaults, a large XML file, anew for each
     * file that is read, and drops them for those of withConf; without a class path it has nothing to read.
     */
    private Groups builder(String file, Support support) {
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(nothing);
        try {
            return new Groups(new LocalFile(file), support);
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    private void filter(String file, Map config, Map query, TableWriter out) throws Exception {
        MessageType schema;
        ParquetFileReader footer = ParquetFileReader.open(new LocalFile(file), options);
        try {
            schema = footer.getFooter().getFileMetaData().getSchema();
        } finally {
            footer.close();
        }
        Map predicate = (Map) query.get("predicate");
        String[] columns = query.get("columns") == null ? null : names((List) query.get("columns"));
        // A column that is not read cannot be tested: FilterPredicate sees the values of records alone.
        Support support = new Support(columns == null ? null : Filters.columns(predicate, columns));
        Groups groups = groups(file, support);
        String means = (String) config.get("pushdown");
        boolean all = means == null || means.equals("on");
        groups.useStatsFilter(all || means.equals("statistics"));
        groups.useColumnIndexFilter(all || means.equals("index"));
        groups.useDictionaryFilter(all || means.equals("dictionary"));
        groups.useBloomFilter(all || means.equals("bloom"));
        groups.withFilter(FilterCompat.get(new Filters(schema).where(predicate, true)));
        rows(groups, support, columns, out);
    }

    /** Writes all records; of them the columns of these names, null for all. */
    private void rows(Groups groups, Support support, String[] columns, TableWriter out) throws Exception {
        ParquetReader reader = groups.build();
        try {
            Group group = (Group) reader.read();
            Shape[] shapes = begin(support.requested, columns, out);
            int[] places = places(support.requested, columns);
            while (group != null) {
                row(group, shapes, places, out);
                group = (Group) reader.read();
            }
        } finally {
            reader.close();
        }
    }

    private void rowGroup(String file, int number, TableWriter out) throws Exception {
        ParquetFileReader reader = ParquetFileReader.open(new LocalFile(file), options);
        try {
            MessageType schema = reader.getFooter().getFileMetaData().getSchema();
            Main.readsRows();
            Shape[] shapes = begin(schema, null, out);
            BlockMetaData block = (BlockMetaData) reader.getRowGroups().get(number);
            if (block.getRowCount() == 0) return; // which readNextRowGroup passes over
            for (int i = 0; i < number; i++) reader.skipNextRowGroup();
            PageReadStore pages = reader.readNextRowGroup();
            RecordReader records = new ColumnIOFactory().getColumnIO(schema)
                .getRecordReader(pages, new GroupRecordConverter(schema));
            int[] places = places(schema, null);
            for (long i = 0; i < pages.getRowCount(); i++) row((Group) records.read(), shapes, places, out);
        } finally {
            reader.close();
        }
    }

    private static Shape[] begin(MessageType schema, String[] columns, TableWriter out) {
        GroupType wanted = columns == null ? schema : Support.projected(schema, columns);
        Shape[] shapes = Shape.fields(wanted);
        out.begin(Shape.names(wanted), Shape.types(shapes));
        return shapes;
    }

    /** Returns the places of the columns in the records of a schema. */
    private static int[] places(MessageType schema, String[] columns) {
        int[] out = new int[columns == null ? schema.getFieldCount() : columns.length];
        for (int i = 0; i < out.length; i++) out[i] = columns == null ? i : schema.getFieldIndex(columns[i]);
        return out;
    }

    private static void row(Group group, Shape[] shapes, int[] places, TableWriter out) throws Exception {
        for (int i = 0; i < shapes.length; i++) shapes[i].append(out.value(i), group, places[i]);
        out.endRow();
    }

    static String[] names(List names) {
        return (String[]) names.toArray(new String[0]);
    }
}
