package colconf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** The constants of queries as values of a column's physical type, which is all that FilterApi compares. */
class Literals {
    private static final String UNITS = "ns us ms s ";
    final Leaf leaf;
    private final Map type;

    /** Of a column, from constants of a tagged type. */
    Literals(Leaf leaf, Map type) {
        this.leaf = leaf;
        this.type = type;
    }

    /** Returns whether a number of the column has several forms: decimals in BYTE_ARRAY. */
    boolean isOfAnyLength() {
        return leaf.physical == PrimitiveTypeName.BINARY
            && leaf.field.getLogicalTypeAnnotation() instanceof LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
    }

    Comparable of(Object value) {
        PrimitiveTypeName physical = leaf.physical;
        if (physical == PrimitiveTypeName.BOOLEAN) return (Boolean) value;
        String text = (String) value;
        if (physical == PrimitiveTypeName.INT96) throw new Unsupported("the order of INT96 is undefined");
        if (physical == PrimitiveTypeName.FLOAT || physical == PrimitiveTypeName.DOUBLE) return floating(text);
        String kind = (String) type.get("kind");
        boolean isNumber = physical == PrimitiveTypeName.INT32 || physical == PrimitiveTypeName.INT64;
        if (!isNumber && !kind.equals("decimal")) return Binary.fromConstantByteArray(bytes(kind, text));
        BigInteger number = scaled(kind, new BigInteger(text));
        if (physical == PrimitiveTypeName.INT32) {
            return Integer.valueOf((int) fitting(number, 32));
        }
        if (physical == PrimitiveTypeName.INT64) return Long.valueOf(fitting(number, 64));
        return Binary.fromConstantByteArray(decimal(number));
    }

    private Comparable floating(String hex) {
        int bits = Integer.parseInt((String) type.get("bits"));
        long raw = Long.parseUnsignedLong(hex, 16);
        boolean isSingle = leaf.physical == PrimitiveTypeName.FLOAT;
        if (bits != (isSingle ? 32 : 64)) throw new Unsupported("a constant of " + bits + " bits of a " + leaf.physical);
        if (isSingle) return Float.valueOf(Float.intBitsToFloat((int) raw));
        return Double.valueOf(Double.longBitsToDouble(raw));
    }

    private byte[] bytes(String kind, String text) {
        if ("string json enum".indexOf(kind) >= 0) return Tagged.bytes(text);
        byte[] raw = Tagged.fromHex(text);
        if (!kind.equals("float")) return raw;
        return new byte[] {raw[1], raw[0]}; // FLOAT16 is stored little-endian
    }

    /** Returns a number in the unit or scale of the column. */
    private BigInteger scaled(String kind, BigInteger number) {
        LogicalTypeAnnotation logical = leaf.field.getLogicalTypeAnnotation();
        int digits = 0;
        if (kind.equals("decimal")) {
            int scale = ((LogicalTypeAnnotation.DecimalLogicalTypeAnnotation) logical).getScale();
            digits = scale - Integer.parseInt((String) type.get("scale"));
        } else if (kind.equals("time") || kind.equals("timestamp")) {
            LogicalTypeAnnotation.TimeUnit unit = kind.equals("time")
                ? ((LogicalTypeAnnotation.TimeLogicalTypeAnnotation) logical).getUnit()
                : ((LogicalTypeAnnotation.TimestampLogicalTypeAnnotation) logical).getUnit();
            int own = UNITS.indexOf(Leaf.unit(unit) + " ");
            digits = UNITS.indexOf(type.get("unit") + " ") - own;
        }
        if (digits == 0) return number;
        try {
            return new BigDecimal(number).scaleByPowerOfTen(digits).toBigIntegerExact();
        } catch (ArithmeticException error) {
            throw new Unsupported("a constant that the column cannot hold");
        }
    }

    /** Returns a number of the column's type; of an unsigned type, the signed one of these bits. */
    private long fitting(BigInteger number, int bits) {
        boolean unsigned = leaf.type.indexOf("\"signed\":false") >= 0;
        boolean fits = unsigned ? number.signum() >= 0 && number.bitLength() <= bits : number.bitLength() < bits;
        if (!fits) throw new Unsupported("a constant that the column cannot hold");
        return number.longValue();
    }

    /** Returns the bytes of a decimal: as long as the column's, or as short as can be. */
    private byte[] decimal(BigInteger number) {
        byte[] least = number.toByteArray();
        if (leaf.physical != PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY) return least;
        byte[] out = new byte[leaf.field.getTypeLength()];
        if (least.length > out.length) throw new Unsupported("a constant that the column cannot hold");
        for (int i = 0; i < out.length; i++) {
            int from = i - (out.length - least.length);
            out[i] = from >= 0 ? least[from] : (byte) (number.signum() < 0 ? -1 : 0);
        }
        return out;
    }
}
