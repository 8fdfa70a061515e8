package colconf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.UnionColumnVector;
import org.apache.orc.TypeDescription;

/** A column of ORC: its tagged type, and its values in vectors, as tagged values and as keys that compare. */
public class Column {
    public final String type;
    public final Column[] children;
    public final String[] names;
    public final String category;
    private final int scale;

    public Column(TypeDescription schema) {
        category = schema.getCategory().name();
        List below = schema.getChildren();
        children = new Column[below == null ? 0 : below.size()];
        String[] types = new String[children.length];
        for (int i = 0; i < children.length; i++) {
            children[i] = new Column((TypeDescription) below.get(i));
            types[i] = children[i].type;
        }
        names = names(schema, children.length);
        scale = category.equals("DECIMAL") ? schema.getScale() : 0;
        type = children.length > 0 || category.equals("STRUCT") ? Tagged.nested(nested(category), names, types)
            : leaf(schema);
    }

    private static String[] names(TypeDescription schema, int count) {
        String category = schema.getCategory().name();
        if (category.equals("STRUCT")) return (String[]) schema.getFieldNames().toArray(new String[0]);
        if (category.equals("LIST")) return new String[] {"element"};
        if (category.equals("MAP")) return new String[] {"key", "value"};
        String[] out = new String[count];
        for (int i = 0; i < count; i++) out[i] = String.valueOf(i);
        return out;
    }

    private static String nested(String category) {
        return category.toLowerCase(java.util.Locale.ROOT);
    }

    private String leaf(TypeDescription schema) {
        if (category.equals("BOOLEAN")) return Tagged.type("bool");
        if (category.equals("BYTE")) return Tagged.integer(8, true);
        if (category.equals("SHORT")) return Tagged.integer(16, true);
        if (category.equals("INT")) return Tagged.integer(32, true);
        if (category.equals("LONG")) return Tagged.integer(64, true);
        if (category.equals("FLOAT")) return Tagged.floating(32);
        if (category.equals("DOUBLE")) return Tagged.floating(64);
        if (category.equals("DATE")) return Tagged.type("date");
        if (category.equals("DECIMAL")) return Tagged.decimal(schema.getPrecision(), scale);
        if (category.equals("TIMESTAMP")) return Tagged.moment("timestamp", "ns", false);
        if (category.equals("TIMESTAMP_INSTANT")) return Tagged.moment("timestamp", "ns", true);
        if (isText()) return Tagged.type("string");
        if (category.equals("BINARY")) return Tagged.type("bytes");
        return Tagged.type(nested(category)); // GEOMETRY, GEOGRAPHY
    }

    boolean isText() {
        return category.equals("STRING") || category.equals("CHAR") || category.equals("VARCHAR");
    }

    /** Returns the child of a struct; raises Unsupported where there is none. */
    Column child(String name) {
        return children[place(name)];
    }

    int place(String name) {
        int at = category.equals("STRUCT") ? java.util.Arrays.asList(names).indexOf(name) : -1;
        if (at < 0) throw new Unsupported("no field of that name in a " + category);
        return at;
    }

    private static int row(ColumnVector vector, int row) {
        return vector.isRepeating ? 0 : row;
    }

    static boolean isNull(ColumnVector vector, int row) {
        return !vector.noNulls && vector.isNull[row(vector, row)];
    }

    /** Appends the value in a row of a vector. */
    public void append(StringBuilder out, ColumnVector vector, int row) {
        if (isNull(vector, row)) {
            out.append("null");
            return;
        }
        int at = row(vector, row);
        if (category.equals("STRUCT")) struct(out, (StructColumnVector) vector, at);
        else if (category.equals("LIST")) list(out, (ListColumnVector) vector, at);
        else if (category.equals("MAP")) map(out, (MapColumnVector) vector, at);
        else if (category.equals("UNION")) union(out, (UnionColumnVector) vector, at);
        else leaf(out, vector, at);
    }

    private void leaf(StringBuilder out, ColumnVector vector, int at) {
        if (category.equals("BOOLEAN")) {
            out.append(((LongColumnVector) vector).vector[at] != 0);
        } else if (category.equals("FLOAT")) {
            float value = (float) ((DoubleColumnVector) vector).vector[at];
            Tagged.bits(out, Float.floatToRawIntBits(value), 32);
        } else if (category.equals("DOUBLE")) {
            Tagged.bits(out, Double.doubleToRawLongBits(((DoubleColumnVector) vector).vector[at]), 64);
        } else if (category.equals("DECIMAL")) {
            // A value of more digits than its type, which orc-java hands out, has no tagged form: they are cut.
            Tagged.number(out, decimal(vector, at).setScale(scale, RoundingMode.DOWN).unscaledValue());
        } else if (category.startsWith("TIMESTAMP")) {
            Tagged.number(out, nanos((TimestampColumnVector) vector, at));
        } else if (vector instanceof BytesColumnVector) {
            byte[] raw = bytes((BytesColumnVector) vector, at);
            if (isText()) Tagged.text(out, raw);
            else Tagged.binary(out, raw);
        } else {
            Tagged.number(out, ((LongColumnVector) vector).vector[at]);
        }
    }

    private static BigDecimal decimal(ColumnVector vector, int at) {
        return ((DecimalColumnVector) vector).vector[at].getHiveDecimal().bigDecimalValue();
    }

    private BigInteger nanos(TimestampColumnVector vector, int at) {
        return Zones.nanos(vector.time[at], vector.nanos[at], category.equals("TIMESTAMP"));
    }

    private static byte[] bytes(BytesColumnVector vector, int at) {
        int begin = vector.start[at];
        return java.util.Arrays.copyOfRange(vector.vector[at], begin, begin + vector.length[at]);
    }

    private void struct(StringBuilder out, StructColumnVector vector, int at) {
        out.append('[');
        for (int i = 0; i < children.length; i++) {
            if (i > 0) out.append(',');
            children[i].append(out, vector.fields[i], at);
        }
        out.append(']');
    }

    private void list(StringBuilder out, ListColumnVector vector, int at) {
        out.append('[');
        for (int i = 0; i < vector.lengths[at]; i++) {
            if (i > 0) out.append(',');
            children[0].append(out, vector.child, (int) vector.offsets[at] + i);
        }
        out.append(']');
    }

    private void map(StringBuilder out, MapColumnVector vector, int at) {
        out.append('[');
        for (int i = 0; i < vector.lengths[at]; i++) {
            out.append(i > 0 ? ",[" : "[");
            children[0].append(out, vector.keys, (int) vector.offsets[at] + i);
            out.append(',');
            children[1].append(out, vector.values, (int) vector.offsets[at] + i);
            out.append(']');
        }
        out.append(']');
    }

    private void union(StringBuilder out, UnionColumnVector vector, int at) {
        int tag = vector.tags[at];
        out.append("[\"").append(tag).append("\",");
        if (tag >= 0 && tag < children.length) children[tag].append(out, vector.fields[tag], at);
        else out.append("null"); // orc-java hands out tags of no variant, and signed ones
        out.append(']');
    }

    /** Returns a value that is not null as a key that compares with those of constants (Constant.key). */
    Comparable key(ColumnVector vector, int row) {
        int at = row(vector, row);
        if (category.equals("BOOLEAN")) return Boolean.valueOf(((LongColumnVector) vector).vector[at] != 0);
        if (vector instanceof DoubleColumnVector) return Double.valueOf(((DoubleColumnVector) vector).vector[at]);
        if (category.equals("DECIMAL")) return decimal(vector, at);
        if (category.startsWith("TIMESTAMP")) return new BigDecimal(nanos((TimestampColumnVector) vector, at));
        if (vector instanceof BytesColumnVector) {
            return new String(bytes((BytesColumnVector) vector, at), StandardCharsets.ISO_8859_1);
        }
        return BigDecimal.valueOf(((LongColumnVector) vector).vector[at]);
    }
}
