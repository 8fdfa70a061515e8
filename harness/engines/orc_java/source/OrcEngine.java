package colconf;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StripeInformation;
import org.apache.orc.TypeDescription;

/** OrcFile of orc-java: batches of vectors, with search arguments. */
public class OrcEngine extends Engine {
    private static final int BATCH_ROWS = 1024; // VectorizedRowBatch.DEFAULT_SIZE
    private final Configuration conf = new Configuration();

    public String nameOf(String file) {
        return LocalFiles.PATH.toString();
    }

    public void read(String file, Map config, TableWriter out) throws Exception {
        Reader reader = open(file, config);
        try {
            rows(reader, reader.options(), null, null, BATCH_ROWS, out);
        } finally {
            reader.close();
        }
    }

    private Reader open(String file, Map config) throws Exception {
        Main.opens();
        Zones.enter((String) config.get("zone"));
        // Dates and wall clocks are asked for in the calendar of java.time, whatever the file's.
        OrcFile.ReaderOptions options = OrcFile.readerOptions(conf)
            .filesystem(new LocalFiles(file, conf)).convertToProlepticGregorian(true);
        return OrcFile.createReader(LocalFiles.PATH, options);
    }

    public void query(String file, Map config, Map query, TableWriter out) throws Exception {
        Reader reader = open(file, config);
        try {
            String kind = (String) query.get("kind");
            Reader.Options options = reader.options();
            String[] columns = query.get("columns") == null ? null
                : (String[]) ((List) query.get("columns")).toArray(new String[0]);
            if (kind.equals("project")) {
                rows(reader, options, columns, null, BATCH_ROWS, out);
            } else if (kind.equals("batches")) {
                rows(reader, options, null, null, Integer.parseInt((String) query.get("rows")), out);
            } else if (kind.equals("row_group")) {
                int number = Integer.parseInt((String) query.get("number"));
                StripeInformation stripe = (StripeInformation) reader.getStripes().get(number);
                rows(reader, options.range(stripe.getOffset(), 1L), null, null, BATCH_ROWS, out);
            } else if (kind.equals("filter")) {
                Condition condition = new Condition((Map) query.get("predicate"), new Column(reader.getSchema()));
                SearchArgument.Builder builder = SearchArgumentFactory.newBuilder().startAnd();
                condition.add(builder);
                if (!"off".equals(config.get("pushdown"))) {
                    options.searchArgument(builder.end().build(), new String[0]);
                }
                rows(reader, options, columns, condition, BATCH_ROWS, out);
            } else {
                throw new Unsupported("the adapter asks ORC no queries of kind " + kind);
            }
        } finally {
            reader.close();
        }
    }

    /** Writes the rows that fulfil a condition, null for all; of them the columns of these names, null for all. */
    private static void rows(Reader reader, Reader.Options options, String[] names, Condition condition, int size,
            TableWriter out) throws Exception {
        TypeDescription schema = reader.getSchema();
        Column root = new Column(schema);
        if (!root.category.equals("STRUCT")) throw new Unsupported("the adapter reads no file of a " + root.category);
        int[] places = new int[names == null ? root.children.length : names.length];
        String[] columns = new String[places.length], types = new String[places.length];
        for (int i = 0; i < places.length; i++) {
            places[i] = names == null ? i : root.place(names[i]);
            columns[i] = root.names[places[i]];
            types[i] = root.children[places[i]].type;
        }
        if (names != null) options.include(included(schema, places, condition));
        out.begin(columns, types);
        Main.readsRows();
        RecordReader records = reader.rows(options);
        try {
            VectorizedRowBatch batch = schema.createRowBatch(size);
            while (records.nextBatch(batch)) {
                for (int row = 0; row < batch.size; row++) {
                    int at = batch.selectedInUse ? batch.selected[row] : row;
                    if (condition != null && !Boolean.TRUE.equals(condition.truth(batch.cols, at))) continue;
                    for (int i = 0; i < places.length; i++) {
                        root.children[places[i]].append(out.value(i), batch.cols[places[i]], at);
                    }
                    out.endRow();
                }
            }
        } finally {
            records.close();
        }
    }

    /** Returns the types of the columns at these places, and of those that a condition tests. */
    private static boolean[] included(TypeDescription schema, int[] places, Condition condition) {
        boolean[] top = new boolean[schema.getChildren().size()];
        for (int i = 0; i < places.length; i++) top[places[i]] = true;
        if (condition != null) condition.mark(top);
        boolean[] out = new boolean[schema.getMaximumId() + 1];
        out[0] = true;
        for (int i = 0; i < top.length; i++) {
            TypeDescription column = (TypeDescription) schema.getChildren().get(i);
            for (int id = column.getId(); top[i] && id <= column.getMaximumId(); id++) out[id] = true;
        }
        return out;
    }
}
