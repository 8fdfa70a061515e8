package colconf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON: requests are read into maps, lists and strings, and strings are written in ASCII. */
public class Json {
    private final String text;
    private int at = 0;

    private Json(String text) {
        this.text = text;
    }

    /** Returns maps, lists, strings, Booleans, null, and numbers as strings. */
    public static Object parse(String text) {
        return new Json(text).value();
    }

    /** Appends a string in quotes; what is not ASCII is escaped. */
    public static void quote(StringBuilder out, String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c >= ' ' && c < 127) {
                out.append(c);
            } else {
                escape(out, c);
            }
        }
        out.append('"');
    }

    public static String quoted(String value) {
        StringBuilder out = new StringBuilder();
        quote(out, value);
        return out.toString();
    }

    static void escape(StringBuilder out, int c) {
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) out.append(Character.forDigit((c >> shift) & 15, 16));
    }

    private Object value() {
        char c = next();
        if (c == '{') return object();
        if (c == '[') return list();
        if (c == '"') return string();
        int begin = at - 1;
        while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(begin, at);
        if (word.equals("null")) return null;
        if (word.equals("true")) return Boolean.TRUE;
        return word.equals("false") ? (Object) Boolean.FALSE : word;
    }

    private char next() {
        while (text.charAt(at) == ' ') at++;
        return text.charAt(at++);
    }

    private Map object() {
        Map out = new LinkedHashMap();
        char c = next();
        while (c != '}') {
            if (c == ',') c = next();
            String name = string();
            next(); // the colon
            out.put(name, value());
            c = next();
        }
        return out;
    }

    private List list() {
        List out = new ArrayList();
        char c = next();
        while (c != ']') {
            if (c != ',') at--;
            out.add(value());
            c = next();
        }
        return out;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        while (true) {
            char c = text.charAt(at++);
            if (c == '"') return out.toString();
            if (c != '\\') {
                out.append(c);
                continue;
            }
            c = text.charAt(at++);
            int escaped = "bfnrt".indexOf(c);
            if (c == 'u') {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                out.append(escaped < 0 ? c : "\b\f\n\r\t".charAt(escaped));
            }
        }
    }
}
