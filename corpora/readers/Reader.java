// A reader of colconf's corpora in Java 17, without a library: java Reader.java FOLDER
// It checks every file against the manifest and its case, decodes every expected value, and prints what it found.

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.*;
import java.util.stream.Collectors;

public class Reader {
    static Path root;

    public static void main(String[] arguments) throws Exception {
        root = Path.of(arguments[0]);
        for (Object file : list(map(json("manifest.json")).get("files"))) {
            String name = (String) map(file).get("path");
            check(sha256(Files.readAllBytes(root.resolve(name))).equals(map(file).get("sha256")), name);
        }
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (String name : "cases tables accept either refuse rows values probes".split(" ")) counts.put(name, 0);
        for (Object each : list(json("cases.json"))) {
            Map<String, Object> entry = map(each), record = map(json((String) entry.get("json")));
            Path file = root.resolve((String) entry.get("file"));
            boolean table = (Boolean) entry.get("table");
            String digest = table ? digestOfFolder(file) : sha256(Files.readAllBytes(file));
            check(record.get("id").equals(entry.get("id")) && record.get("sha256").equals(digest), entry.get("id"));
            Map<String, Object> expectation = map(record.get("expectation"));
            counts.merge("cases", 1, Integer::sum);
            counts.merge("tables", table ? 1 : 0, Integer::sum);
            counts.merge((String) expectation.get("kind"), 1, Integer::sum);
            counts.merge("probes", list(record.getOrDefault("probes", List.of())).size(), Integer::sum);
            if (expectation.containsKey("table")) values(map(expectation.get("table")), counts);
        }
        System.out.println(counts.entrySet().stream().map(count -> count.getKey() + " " + count.getValue())
            .collect(Collectors.joining(", ")));
    }

    static void values(Map<String, Object> table, Map<String, Integer> counts) {
        List<Object> columns = list(table.get("columns"));
        int rows = 0, wanted = ((BigInteger) table.get("rows")).intValueExact();
        for (Object block : list(table.get("blocks"))) {
            for (int i = 0; i < columns.size(); i++) {
                List<Object> column = list(list(block).get(i));
                for (Object value : column) decode(map(map(columns.get(i)).get("type")), value);
                counts.merge("values", column.size(), Integer::sum);
                rows += i == 0 ? column.size() : 0;
            }
        }
        check(columns.isEmpty() || rows == wanted, wanted);
        counts.merge("rows", wanted, Integer::sum);
    }

    /** A value of a type, as Java has it: integers as BigInteger, floats as Number, bytes as byte[]. */
    static Object decode(Map<String, Object> type, Object value) {
        if (value == null || value instanceof Map) return value; // a map: {sha256, bytes} of a large value
        return switch ((String) type.get("kind")) {
            case "bool" -> (Boolean) value;
            case "float" -> floating(((BigInteger) type.get("bits")).intValue(), (String) value);
            case "int", "decimal", "date", "time", "timestamp", "duration", "int96" -> new BigInteger((String) value);
            case "interval" -> list(value).stream().map(text -> new BigInteger((String) text)).toList();
            case "string", "json", "enum" -> (String) value;
            case "bytes", "uuid", "bson", "geometry", "geography" -> HexFormat.of().parseHex((String) value);
            case "variant" -> list(value).stream().map(text -> HexFormat.of().parseHex((String) text)).toList();
            case "list" -> each(list(value), i -> child(type, 0));
            case "struct" -> each(list(value), i -> child(type, i));
            case "map" -> list(value).stream().map(pair -> each(list(pair), i -> child(type, i))).toList();
            case "union" -> decode(child(type, Integer.parseInt((String) list(value).get(0))), list(value).get(1));
            default -> throw new IllegalStateException("not of the documented form: " + type);
        };
    }

    static List<Object> each(List<Object> values, java.util.function.IntFunction<Map<String, Object>> type) {
        List<Object> decoded = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) decoded.add(decode(type.apply(i), values.get(i)));
        return decoded;
    }

    static Map<String, Object> child(Map<String, Object> type, int i) {
        return map(map(list(type.get("children")).get(i)).get("type"));
    }

    static Number floating(int bits, String hex) {
        check(hex.length() * 4 == bits, hex);
        if (bits == 64) return Double.longBitsToDouble(Long.parseUnsignedLong(hex, 16));
        if (bits == 32) return Float.intBitsToFloat(Integer.parseUnsignedInt(hex, 16));
        int raw = Integer.parseInt(hex, 16), exponent = raw >> 10 & 31, fraction = raw & 1023;
        double size = exponent == 0 ? Math.scalb(fraction, -24) : Math.scalb(1 + fraction / 1024.0, exponent - 15);
        if (exponent == 31) size = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
        return raw >> 15 == 0 ? size : -size;
    }

    /** The digest of a folder: of the paths and digests of its files, in the order of the parts of their paths. */
    static String digestOfFolder(Path folder) throws Exception {
        StringBuilder lines = new StringBuilder();
        try (var walk = Files.walk(folder)) {
            for (Path file : walk.filter(Files::isRegularFile).map(folder::relativize)
                    .sorted(Comparator.comparing(path -> path.toString().replace('/', '\0'))).toList()) {
                boolean hidden = false;
                for (Path part : file) hidden |= "_.".indexOf(part.toString().charAt(0)) >= 0;
                if (!hidden) lines.append(file).append('\0')
                    .append(sha256(Files.readAllBytes(folder.resolve(file)))).append('\n');
            }
        }
        return sha256(lines.toString().getBytes("UTF-8"));
    }

    static String sha256(byte[] data) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
    }

    static void check(boolean holds, Object what) {
        if (!holds) throw new IllegalStateException("not of the documented form: " + what);
    }

    @SuppressWarnings("unchecked") static Map<String, Object> map(Object value) { return (Map<String, Object>) value; }
    @SuppressWarnings("unchecked") static List<Object> list(Object value) { return (List<Object>) value; }

    static Object json(String name) throws Exception {
        return new Json(Files.readString(root.resolve(name))).value();
    }

    /** JSON as maps, lists, strings, BigInteger, Boolean and null: the archive has no other numbers. */
    record Json(String text, int[] at) {
        Json(String text) { this(text, new int[1]); }

        Object value() {
            char first = next();
            if (first == '{' || first == '[') return members(first == '{');
            if (first == '"') return string();
            int end = at[0];
            while (end < text.length() && ",]} \n".indexOf(text.charAt(end)) < 0) end++;
            String word = text.substring(at[0] - 1, end);
            at[0] = end;
            return switch (word) { case "null" -> null; case "true" -> true; case "false" -> false; default -> new BigInteger(word); };
        }

        Object members(boolean named) {
            Map<String, Object> object = new LinkedHashMap<>();
            List<Object> array = new ArrayList<>();
            for (char mark = next(); mark != '}' && mark != ']'; mark = next()) {
                if (mark != ',') at[0]--;
                if (named) { next(); String name = string(); next(); object.put(name, value()); } else array.add(value());
            }
            return named ? object : array;
        }

        String string() {
            StringBuilder out = new StringBuilder();
            for (char c; (c = text.charAt(at[0]++)) != '"'; ) {
                if (c == '\\' && (c = text.charAt(at[0]++)) == 'u') {
                    out.append((char) Integer.parseInt(text.substring(at[0], at[0] += 4), 16));
                } else out.append(text.charAt(at[0] - 2) == '\\' && "bfnrt".indexOf(c) >= 0 ? "\b\f\n\r\t".charAt("bfnrt".indexOf(c)) : c);
            }
            return out.toString();
        }

        char next() {
            while (Character.isWhitespace(text.charAt(at[0]))) at[0]++;
            return text.charAt(at[0]++);
        }
    }
}
