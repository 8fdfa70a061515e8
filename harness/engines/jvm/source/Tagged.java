package colconf;

import java.math.BigInteger;
import java.security.MessageDigest;

/** Tagged values (corpora/tagged.py) as JSON. */
public class Tagged {
    static final int BIG = 1 << 20;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    /** Appends bytes as hex, or by their digest. */
    public static void binary(StringBuilder out, byte[] raw) {
        if (raw.length > BIG) {
            big(out, raw);
            return;
        }
        out.append('"');
        hex(out, raw);
        out.append('"');
    }

    public static void hex(StringBuilder out, byte[] raw) {
        for (int i = 0; i < raw.length; i++) out.append(HEX[(raw[i] >> 4) & 15]).append(HEX[raw[i] & 15]);
    }

    /** Appends text; bytes that are not UTF-8 become lone surrogates, as Python's surrogateescape has them. */
    public static void text(StringBuilder out, byte[] raw) {
        if (raw.length > BIG) {
            big(out, raw);
            return;
        }
        out.append('"');
        int at = 0;
        while (at < raw.length) {
            int c = raw[at] & 255;
            if (c < 128) {
                if (c == '"' || c == '\\') out.append('\\').append((char) c);
                else if (c >= ' ' && c < 127) out.append((char) c);
                else Json.escape(out, c);
                at++;
                continue;
            }
            int size = size(raw, at);
            if (size == 0) {
                Json.escape(out, 0xDC00 + c);
                at++;
                continue;
            }
            int point = c & (255 >> (size + 1));
            for (int i = 1; i < size; i++) point = point << 6 | raw[at + i] & 63;
            if (point < 0x10000) {
                Json.escape(out, point);
            } else {
                Json.escape(out, Character.highSurrogate(point));
                Json.escape(out, Character.lowSurrogate(point));
            }
            at += size;
        }
        out.append('"');
    }

    /** Returns the length of the character beyond ASCII that begins at a byte, 0 if none does (RFC 3629, 4). */
    private static int size(byte[] raw, int at) {
        int c = raw[at] & 255;
        int size = c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
        if (size == 0 || at + size > raw.length) return 0;
        int second = raw[at + 1] & 255;
        int low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
        int high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
        if (second < low || second > high) return 0;
        for (int i = 2; i < size; i++) if ((raw[at + i] & 0xC0) != 0x80) return 0;
        return size;
    }

    private static void big(StringBuilder out, byte[] raw) {
        try {
            out.append("{\"sha256\":\"");
            hex(out, MessageDigest.getInstance("SHA-256").digest(raw));
            out.append("\",\"bytes\":").append(raw.length).append('}');
        } catch (java.security.NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    public static void number(StringBuilder out, long value) {
        out.append('"').append(value).append('"');
    }

    public static void number(StringBuilder out, BigInteger value) {
        out.append('"').append(value.toString()).append('"');
    }

    /** Appends the bits of a float of `bits` bits. */
    public static void bits(StringBuilder out, long value, int bits) {
        out.append('"');
        for (int shift = bits - 4; shift >= 0; shift -= 4) out.append(HEX[(int) (value >>> shift) & 15]);
        out.append('"');
    }

    public static String type(String kind) {
        return "{\"kind\":\"" + kind + "\"}";
    }

    public static String integer(int bits, boolean signed) {
        return "{\"kind\":\"int\",\"bits\":" + bits + ",\"signed\":" + signed + "}";
    }

    public static String floating(int bits) {
        return "{\"kind\":\"float\",\"bits\":" + bits + "}";
    }

    public static String decimal(int precision, int scale) {
        return "{\"kind\":\"decimal\",\"precision\":" + precision + ",\"scale\":" + scale + "}";
    }

    public static String moment(String kind, String unit, boolean utc) {
        return "{\"kind\":\"" + kind + "\",\"unit\":\"" + unit + "\",\"utc\":" + utc + "}";
    }

    /** Returns a nested type, of names and types. */
    public static String nested(String kind, String[] names, String[] types) {
        StringBuilder out = new StringBuilder("{\"kind\":\"" + kind + "\",\"children\":[");
        for (int i = 0; i < names.length; i++) {
            out.append(i == 0 ? "" : ",").append(field(names[i], types[i]));
        }
        return out.append("]}").toString();
    }

    public static String field(String name, String type) {
        return "{\"name\":" + Json.quoted(name) + ",\"type\":" + type + "}";
    }

    /** Returns the bytes of text as Python's surrogateescape writes them. */
    public static byte[] bytes(String text) {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            if (point >= 0xDC80 && point <= 0xDCFF) {
                out.write(point - 0xDC00);
            } else {
                byte[] raw = new String(Character.toChars(point)).getBytes(java.nio.charset.StandardCharsets.UTF_8);
                out.write(raw, 0, raw.length);
            }
            at += Character.charCount(point);
        }
        return out.toByteArray();
    }

    public static byte[] fromHex(String hex) {
        byte[] out = new byte[hex.length() / 2];
        for (int i = 0; i < out.length; i++) out[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        return out;
    }
}
