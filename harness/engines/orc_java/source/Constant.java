package colconf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Map;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable;

/** A constant of a query: a key that compares with values, and a literal of a search argument. */
class Constant {
    private static final String UNITS = "ns us ms s ";
    private static final long FIRST_DAY = LocalDate.of(1, 1, 1).toEpochDay();
    private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();
    final Comparable key;
    private final Column column;

    Constant(Column column, Map type, Object value) {
        this.column = column;
        key = key((String) type.get("kind"), type, value);
    }

    private static Comparable key(String kind, Map type, Object value) {
        if (value instanceof Boolean) return (Boolean) value;
        String text = (String) value;
        if (kind.equals("string") || kind.equals("json") || kind.equals("enum")) {
            return new String(Tagged.bytes(text), StandardCharsets.ISO_8859_1);
        }
        if (kind.equals("float")) {
            long raw = Long.parseUnsignedLong(text, 16);
            return type.get("bits").equals("32") ? Double.valueOf(Float.intBitsToFloat((int) raw))
                : Double.valueOf(Double.longBitsToDouble(raw));
        }
        if (kind.equals("bytes")) throw new Unsupported("search arguments have no literals of BINARY");
        BigInteger number = new BigInteger(text);
        if (kind.equals("decimal")) return new BigDecimal(number, Integer.parseInt((String) type.get("scale")));
        if (!kind.equals("timestamp")) return new BigDecimal(number);
        return new BigDecimal(number).scaleByPowerOfTen(UNITS.indexOf(type.get("unit") + " "));
    }

    /** Returns the type of a column's literals; IS NULL has none, but is asked with a type. */
    static PredicateLeaf.Type type(Column column) {
        String category = column.category;
        if (category.equals("BOOLEAN")) return PredicateLeaf.Type.BOOLEAN;
        if (category.equals("FLOAT") || category.equals("DOUBLE")) return PredicateLeaf.Type.FLOAT;
        if (category.equals("DECIMAL")) return PredicateLeaf.Type.DECIMAL;
        if (category.equals("DATE")) return PredicateLeaf.Type.DATE;
        if (category.startsWith("TIMESTAMP")) return PredicateLeaf.Type.TIMESTAMP;
        boolean isNumber = category.equals("BYTE") || category.equals("SHORT") || category.equals("INT")
            || category.equals("LONG");
        return isNumber ? PredicateLeaf.Type.LONG : PredicateLeaf.Type.STRING;
    }

    /** Returns the literal; raises Unsupported where search arguments have no such one. */
    Object literal() {
        PredicateLeaf.Type type = type(column);
        if (type == PredicateLeaf.Type.BOOLEAN || type == PredicateLeaf.Type.FLOAT) return key;
        if (type == PredicateLeaf.Type.STRING) return text();
        BigDecimal number = (BigDecimal) key;
        if (type == PredicateLeaf.Type.DECIMAL) {
            HiveDecimal decimal = HiveDecimal.create(number);
            if (decimal == null || decimal.bigDecimalValue().compareTo(number) != 0) throw lacks();
            return new HiveDecimalWritable(decimal);
        }
        BigInteger count = number.toBigIntegerExact();
        if (type == PredicateLeaf.Type.TIMESTAMP) {
            return Zones.timestamp(count, column.category.equals("TIMESTAMP"));
        }
        if (count.bitLength() > 63) throw lacks();
        if (type == PredicateLeaf.Type.LONG) return Long.valueOf(count.longValue());
        if (count.longValue() < FIRST_DAY || count.longValue() > LAST_DAY) throw lacks();
        java.sql.Date date = java.sql.Date.valueOf(LocalDate.ofEpochDay(count.longValue()));
        // From 1582-10-05 to 14 its calendar, the Julian and then the Gregorian, has no days.
        if (date.toLocalDate().toEpochDay() != count.longValue()) throw lacks();
        return date;
    }

    private Object text() {
        if (!column.isText()) throw new Unsupported("search arguments have no literals of " + column.category);
        byte[] raw = ((String) key).getBytes(StandardCharsets.ISO_8859_1);
        String text = new String(raw, StandardCharsets.UTF_8);
        if (!java.util.Arrays.equals(raw, text.getBytes(StandardCharsets.UTF_8))) throw lacks();
        return text;
    }

    private Unsupported lacks() {
        return new Unsupported("a constant that is no literal of " + column.category);
    }
}
