package colconf;

import java.math.BigInteger;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** A primitive field: its tagged type by parquet-java's annotation, and its values. */
public class Leaf {
    private static final int PLAIN = 0, UNSIGNED = 1, TEXT = 2, DECIMAL = 3, FLOAT16 = 4, INTERVAL = 5, NULL = 6;
    private static final BigInteger DAY_NANOS = BigInteger.valueOf(86400000000000L);
    private static final int JULIAN_EPOCH = 2440588; // the Julian day of 1970-01-01
    public final String type;
    public final PrimitiveTypeName physical;
    public final String annotation;
    public final PrimitiveType field;
    private int form = PLAIN;

    public Leaf(PrimitiveType field) {
        this.field = field;
        physical = field.getPrimitiveTypeName();
        LogicalTypeAnnotation logical = field.getLogicalTypeAnnotation();
        annotation = name(logical);
        String logicalType = logical == null ? null : logicalType(logical);
        type = logicalType == null ? plain() : logicalType;
    }

    /** Returns the name of an annotation's class, such as "String" or "MapKeyValue"; "" for none. */
    public static String name(LogicalTypeAnnotation annotation) {
        if (annotation == null) return "";
        return annotation.getClass().getSimpleName().replace("LogicalTypeAnnotation", "").replace("TypeAnnotation", "");
    }

    public static String unit(LogicalTypeAnnotation.TimeUnit unit) {
        return unit == LogicalTypeAnnotation.TimeUnit.MILLIS ? "ms"
            : unit == LogicalTypeAnnotation.TimeUnit.MICROS ? "us" : "ns";
    }

    private String logicalType(LogicalTypeAnnotation logical) {
        if (logical instanceof LogicalTypeAnnotation.DecimalLogicalTypeAnnotation) {
            form = DECIMAL;
            LogicalTypeAnnotation.DecimalLogicalTypeAnnotation decimal =
                (LogicalTypeAnnotation.DecimalLogicalTypeAnnotation) logical;
            return Tagged.decimal(decimal.getPrecision(), decimal.getScale());
        }
        if (logical instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation) {
            LogicalTypeAnnotation.IntLogicalTypeAnnotation number =
                (LogicalTypeAnnotation.IntLogicalTypeAnnotation) logical;
            form = number.isSigned() ? PLAIN : UNSIGNED;
            return Tagged.integer(number.getBitWidth(), number.isSigned());
        }
        if (logical instanceof LogicalTypeAnnotation.TimeLogicalTypeAnnotation) {
            LogicalTypeAnnotation.TimeLogicalTypeAnnotation time =
                (LogicalTypeAnnotation.TimeLogicalTypeAnnotation) logical;
            return Tagged.moment("time", unit(time.getUnit()), time.isAdjustedToUTC());
        }
        if (logical instanceof LogicalTypeAnnotation.TimestampLogicalTypeAnnotation) {
            LogicalTypeAnnotation.TimestampLogicalTypeAnnotation time =
                (LogicalTypeAnnotation.TimestampLogicalTypeAnnotation) logical;
            return Tagged.moment("timestamp", unit(time.getUnit()), time.isAdjustedToUTC());
        }
        if (annotation.equals("Float16")) {
            form = FLOAT16;
            return Tagged.floating(16);
        }
        return named();
    }

    /** Returns the type of an annotation without parameters; null of one that is not known here. */
    private String named() {
        String lower = annotation.toLowerCase(java.util.Locale.ROOT);
        if (" string enum json ".indexOf(" " + lower + " ") >= 0) form = TEXT;
        else if (lower.equals("interval")) form = INTERVAL;
        else if (lower.equals("unknown")) form = NULL;
        else if (" date bson uuid geometry geography ".indexOf(" " + lower + " ") < 0) return null;
        return Tagged.type(form == NULL ? "null" : lower);
    }

    private String plain() {
        if (physical == PrimitiveTypeName.BOOLEAN) return Tagged.type("bool");
        if (physical == PrimitiveTypeName.INT32) return Tagged.integer(32, true);
        if (physical == PrimitiveTypeName.INT64) return Tagged.integer(64, true);
        if (physical == PrimitiveTypeName.FLOAT) return Tagged.floating(32);
        if (physical == PrimitiveTypeName.DOUBLE) return Tagged.floating(64);
        return Tagged.type(physical == PrimitiveTypeName.INT96 ? "int96" : "bytes");
    }

    public void append(StringBuilder out, Group group, int at, int index) {
        if (form == NULL) {
            out.append("null");
        } else if (physical == PrimitiveTypeName.BOOLEAN) {
            out.append(group.getBoolean(at, index));
        } else if (physical == PrimitiveTypeName.INT32) {
            int value = group.getInteger(at, index);
            Tagged.number(out, form == UNSIGNED ? value & 0xFFFFFFFFL : (long) value);
        } else if (physical == PrimitiveTypeName.INT64) {
            long value = group.getLong(at, index);
            if (form == UNSIGNED) out.append('"').append(Long.toUnsignedString(value)).append('"');
            else Tagged.number(out, value);
        } else if (physical == PrimitiveTypeName.FLOAT) {
            Tagged.bits(out, Float.floatToRawIntBits(group.getFloat(at, index)), 32);
        } else if (physical == PrimitiveTypeName.DOUBLE) {
            Tagged.bits(out, Double.doubleToRawLongBits(group.getDouble(at, index)), 64);
        } else if (physical == PrimitiveTypeName.INT96) {
            int96(out, group.getInt96(at, index).getBytes());
        } else {
            bytes(out, group.getBinary(at, index).getBytes());
        }
    }

    private void bytes(StringBuilder out, byte[] raw) {
        if (form == TEXT) {
            Tagged.text(out, raw);
        } else if (form == DECIMAL) {
            Tagged.number(out, raw.length == 0 ? BigInteger.ZERO : new BigInteger(raw));
        } else if (form == FLOAT16) {
            Tagged.bits(out, (raw[1] & 255) << 8 | raw[0] & 255, 16);
        } else if (form == INTERVAL) {
            out.append('[');
            Tagged.number(out, little(raw, 0, 4).longValue());
            out.append(',');
            Tagged.number(out, little(raw, 4, 4).longValue());
            out.append(',');
            Tagged.number(out, little(raw, 8, 4).longValue() * 1000000L);
            out.append(']');
        } else {
            Tagged.binary(out, raw);
        }
    }

    /** Nanoseconds of the day, then the Julian day, both little-endian, as nanoseconds since 1970. */
    private static void int96(StringBuilder out, byte[] raw) {
        BigInteger days = BigInteger.valueOf(little(raw, 8, 4).intValue() - (long) JULIAN_EPOCH);
        BigInteger nanos = BigInteger.valueOf(little(raw, 0, 8).longValue());
        Tagged.number(out, days.multiply(DAY_NANOS).add(nanos));
    }

    private static BigInteger little(byte[] raw, int begin, int count) {
        byte[] out = new byte[count];
        for (int i = 0; i < count; i++) out[count - 1 - i] = raw[begin + i];
        return new BigInteger(1, out);
    }
}
