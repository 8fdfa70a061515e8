import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The protocol between colconf and an engine in Java (17 and later), and its tagged values.
 *
 * <p>An engine calls {@link #serve}. colconf writes one request a line to standard input, each of which is answered by
 * one line on standard output. Nothing else may write there: System.out is standard error while it serves. The protocol:
 * colconf's docs/protocol.md. A type is a map, a value null, a Boolean, a String, a List or (for long bytes) a map.
 */
public final class Colconf {
  private static final int VERSION = 3; // of the protocol
  private static final int BLOCK_ROWS = 16_384; // rows of a block, except for the last
  private static final int BIG = 1 << 20; // bytes of the longest text or byte string that is sent as it is
  private static final int INLINE_CHARACTERS = 4 << 20; // of blocks in a reply; larger tables go to a spill file
  private static final int MAX_MESSAGE = 4_000;

  /** The reader that is tested. */
  public interface Engine {
    /** Return the name (as in the manifest), the version, and a runtime. */
    Map<String, Object> describe();

    /** Return the table of a file; throws Unsupported for what is not supported, else whatever refuses the file. */
    Table read(String file, String format, Map<String, Object> config) throws Exception;
  }

  /** The engine, or this program, does not support what the file needs: neither right nor wrong. */
  public static final class Unsupported extends RuntimeException {
    public Unsupported(String message) {
      super(message);
    }
  }

  /** A table that is none: this program's own mistake. */
  public static final class Misspoke extends RuntimeException {
    public Misspoke(String message) {
      super(message);
    }
  }

  /** Fields ({@link #field}), and for each a column, a list of tagged values. */
  public record Table(List<Map<String, Object>> fields, List<List<Object>> columns, int rows) {
    public Table {
      if (fields.size() != columns.size()) throw new Misspoke("fields and columns do not match");
      for (List<Object> column : columns) {
        if (column.size() != rows) throw new Misspoke(column.size() + " values for " + rows + " rows");
      }
    }

    private String block(int at) {
      List<Object> block = new ArrayList<>();
      for (List<Object> column : columns) block.add(column.subList(at, Math.min(at + BLOCK_ROWS, rows)));
      return json(block);
    }
  }

  private Colconf() {}

  // Types

  /** Return a type without parameters: null, bool, date, int96, interval, string, json, enum, bytes, uuid, bson, … */
  public static Map<String, Object> type(String kind) {
    return object("kind", kind);
  }

  public static Map<String, Object> integer(int bits, boolean signed) {
    return object("kind", "int", "bits", bits, "signed", signed);
  }

  public static Map<String, Object> floating(int bits) {
    return object("kind", "float", "bits", bits);
  }

  public static Map<String, Object> decimal(int precision, int scale) {
    return object("kind", "decimal", "precision", precision, "scale", scale);
  }

  /** Return the type of "time" or "timestamp" counted in s, ms, us or ns; utc: not a wall clock. */
  public static Map<String, Object> moment(String kind, String unit, boolean utc) {
    return object("kind", kind, "unit", unit, "utc", utc);
  }

  public static Map<String, Object> listOf(Map<String, Object> element) {
    return object("kind", "list", "children", List.of(field("element", element)));
  }

  public static Map<String, Object> structOf(List<Map<String, Object>> fields) {
    return object("kind", "struct", "children", fields);
  }

  public static Map<String, Object> mapOf(Map<String, Object> key, Map<String, Object> value) {
    return object("kind", "map", "children", List.of(field("key", key), field("value", value)));
  }

  public static Map<String, Object> field(Object name, Map<String, Object> type) {
    return object("name", name, "type", type);
  }

  /** Return a map of names and values, in their order. */
  public static Map<String, Object> object(Object... members) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (int at = 0; at < members.length; at += 2) out.put((String) members[at], members[at + 1]);
    return out;
  }

  // Values: null, a Boolean; lists for lists and structs, of pairs for maps

  /** Tag an integer, a decimal's unscaled integer, or a count of days or units. */
  public static String whole(long number) {
    return Long.toString(number);
  }

  /** Tag a float of 32 bits by its IEEE bits. */
  public static String floats(float number) {
    return HexFormat.of().toHexDigits(Float.floatToRawIntBits(number));
  }

  /** Tag a float of 64 bits by its IEEE bits. */
  public static String floats(double number) {
    return HexFormat.of().toHexDigits(Double.doubleToRawLongBits(number));
  }

  /** Tag a byte string. */
  public static Object binary(byte[] bytes) {
    return bytes.length > BIG ? big(bytes) : HexFormat.of().formatHex(bytes);
  }

  /** Tag the bytes of a text; those that are not UTF-8 become lone surrogates, U+DC80 to U+DCFF. */
  public static Object text(byte[] bytes) {
    if (bytes.length > BIG) return big(bytes);
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    for (CoderResult result = decoder.decode(in, out, true); result.isMalformed(); ) {
      out.put((char) (0xDC00 + (in.get() & 0xFF)));
      decoder.reset();
      result = decoder.decode(in, out, true);
    }
    return out.flip().toString();
  }

  private static Map<String, Object> big(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return object("sha256", HexFormat.of().formatHex(digest), "bytes", bytes.length);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  // The conversation

  /** Reply to requests until {@code stop} or the end of standard input. */
  public static void serve(Engine engine) throws IOException {
    OutputStream replies = new BufferedOutputStream(System.out);
    System.setOut(System.err);
    InputStream requests = new BufferedInputStream(System.in, 1 << 16);
    boolean stopped = false;
    for (String line = line(requests); line != null && !stopped; line = stopped ? null : line(requests)) {
      Map<?, ?> request = Map.of();
      try {
        if (Json.parse(line) instanceof Map<?, ?> members) request = members;
      } catch (RuntimeException | StackOverflowError error) {
        // The reply says that the line is no request.
      }
      stopped = "stop".equals(request.get("op"));
      replies.write((answer(engine, request) + "\n").getBytes(StandardCharsets.UTF_8));
      replies.flush();
    }
  }

  private static String answer(Engine engine, Map<?, ?> request) {
    if (!(request.get("id") instanceof Number) || !(request.get("op") instanceof String op)) {
      return failure(-1, "misspoke", new IllegalArgumentException("no request"), "request");
    }
    int id = ((Number) request.get("id")).intValue();
    try {
      if (!Double.valueOf(VERSION).equals(request.get("v"))) throw new Unsupported("a version that is not " + VERSION);
      if (op.equals("stop")) return good(id, "\"stopped\":true");
      if (op.equals("describe")) return good(id, "\"description\":" + json(engine.describe()));
      if (!op.equals("read")) throw new Unsupported("this engine does not answer " + op);
      if (request.containsKey("keys")) throw new Unsupported("this engine takes no keys");
      @SuppressWarnings("unchecked")
      Map<String, Object> config = (Map<String, Object>) request.get("config");
      Table table = engine.read((String) request.get("file"), (String) request.get("format"), config);
      return good(id, "\"table\":" + render(table, Path.of((String) request.get("spill"), id + "-0.jsonl")));
    } catch (Unsupported error) {
      return failure(id, "unsupported", error, op);
    } catch (Misspoke error) {
      return failure(id, "misspoke", error, op);
    } catch (OutOfMemoryError error) {
      return failure(id, "out_of_memory", error, op);
    } catch (Error | NullPointerException | IndexOutOfBoundsException | ClassCastException error) {
      return failure(id, "panicked", error, op); // a mistake in code, which says nothing of the file
    } catch (Exception error) {
      return failure(id, "refused", error, op);
    }
  }

  /** Return a table as JSON: with its blocks or, if they are large, in a file, a block a line. */
  private static String render(Table table, Path spill) throws IOException {
    String head = json(object("columns", table.fields, "rows", table.rows));
    StringBuilder blocks = new StringBuilder();
    int at = 0;
    for (; at < table.rows && !table.fields.isEmpty() && blocks.length() <= INLINE_CHARACTERS; at += BLOCK_ROWS) {
      blocks.append(at == 0 ? "" : "\n").append(table.block(at));
    }
    head = head.substring(0, head.length() - 1);
    if (blocks.length() <= INLINE_CHARACTERS) {
      return head + ",\"blocks\":[" + blocks.toString().replace('\n', ',') + "]}";
    }
    try (var out = Files.newBufferedWriter(spill)) {
      out.append(blocks).append('\n');
      for (; at < table.rows; at += BLOCK_ROWS) out.append(table.block(at)).append('\n');
    }
    return head + ",\"spill\":" + json(spill.toString()) + "}";
  }

  private static String good(int id, String member) {
    return "{\"v\":" + VERSION + ",\"id\":" + id + "," + member + "}";
  }

  private static String failure(int id, String kind, Throwable error, String phase) {
    String text = String.valueOf(error.getMessage());
    String message = text.substring(0, Math.min(text.length(), MAX_MESSAGE));
    String name = error.getClass().getName();
    Object detail = object("kind", kind, "class", name, "message", message, "phase", phase);
    return json(object("v", VERSION, "id", id, "error", detail));
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) return out.size() == 0 ? null : out.toString(StandardCharsets.UTF_8);
      out.write(next);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  private static String json(Object value) {
    StringBuilder out = new StringBuilder();
    Json.write(value, out);
    return out.toString();
  }
}
