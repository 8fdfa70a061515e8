import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A reader of Parquet that reads one type: INT32, in PLAIN pages without compression. It refuses the rest.
 *
 * <p>It is here to be replaced: put the reader that is to be tested into {@code read}, and describe it in {@code
 * describe}.
 */
public final class Reader implements Colconf.Engine {
  private static final long INT32 = 1;
  private static final long REQUIRED = 0;
  private static final long OPTIONAL = 1;
  private static final long PLAIN = 0;
  private static final long RLE = 3;
  private static final long DATA_PAGE = 0;
  private static final long INDEX_PAGE = 1;
  private static final long DATA_PAGE_V2 = 3;
  private static final long INT_32 = 17; // of ConvertedType
  private static final int INTEGER = 10; // of LogicalType
  private static final long MOST_VALUES = 1 << 24; // of a column: a file of a few bytes may claim any number of nulls

  private record Leaf(Object name, boolean optional) {}

  public static void main(String[] arguments) throws IOException {
    Colconf.serve(new Reader());
  }

  @Override
  public Map<String, Object> describe() {
    return Colconf.object("name", "my_reader", "version", "0.1.0", "runtime", "Java " + Runtime.version());
  }

  @Override
  public Colconf.Table read(String file, String format, Map<String, Object> config) throws IOException {
    if (!format.equals("parquet")) throw new Colconf.Unsupported("no reader of " + format);
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(Path.of(file))).order(ByteOrder.LITTLE_ENDIAN);
    Map<Integer, Object> footer = footer(bytes);
    List<Leaf> leaves = leaves(list(footer.get(2)));
    List<List<Object>> columns = new ArrayList<>();
    List<Map<String, Object>> fields = new ArrayList<>();
    for (Leaf leaf : leaves) {
      columns.add(new ArrayList<>());
      fields.add(Colconf.field(leaf.name, Colconf.integer(32, true)));
    }
    for (Object group : list(footer.getOrDefault(4, List.of()))) {
      List<?> chunks = list(struct(group).get(1));
      if (chunks.size() != leaves.size()) throw new IOException("a row group has another number of columns");
      for (int at = 0; at < leaves.size(); at++) {
        chunk(bytes, struct(chunks.get(at)), leaves.get(at), number(struct(group).get(3)), columns.get(at));
      }
    }
    long rows = number(footer.get(3));
    for (List<Object> column : columns) {
      if (column.size() != rows) throw new IOException("the row groups have not the " + rows + " rows of the file");
    }
    return new Colconf.Table(fields, columns, (int) rows);
  }

  /** Return the footer; behind it are its length in 4 bytes, and "PAR1". */
  private static Map<Integer, Object> footer(ByteBuffer bytes) throws IOException {
    int end = bytes.limit();
    byte[] magic = new byte[4];
    if (end >= 4) bytes.get(end - 4, magic);
    String name = new String(magic, StandardCharsets.ISO_8859_1);
    if (name.equals("PARE")) throw new Colconf.Unsupported("the footer is encrypted");
    if (end < 12 || !name.equals("PAR1")) throw new IOException("no file of Parquet");
    long size = Integer.toUnsignedLong(bytes.getInt(end - 8));
    if (size > end - 12) throw new IOException("a footer of " + size + " bytes is longer than the file");
    return new Thrift(bytes.slice(end - 8 - (int) size, (int) size)).struct(0);
  }

  private static List<Leaf> leaves(List<?> schema) throws IOException {
    List<Leaf> leaves = new ArrayList<>();
    for (Object item : schema.subList(1, schema.size())) {
      Map<Integer, Object> element = struct(item);
      Object name = Colconf.text(raw((ByteBuffer) element.get(4)));
      Map<Integer, Object> annotation = struct(element.getOrDefault(10, Map.of()));
      Map<Integer, Object> integer = struct(annotation.getOrDefault(INTEGER, Map.of()));
      boolean plain = !element.containsKey(6) && !element.containsKey(10);
      boolean signed = Long.valueOf(32).equals(integer.get(1)) && Boolean.TRUE.equals(integer.get(2));
      boolean annotated = Long.valueOf(INT_32).equals(element.get(6)) || signed;
      if (element.containsKey(5) || !Long.valueOf(INT32).equals(element.get(1)) || !(plain || annotated)) {
        throw new Colconf.Unsupported("column " + name + " is no INT32");
      }
      long repetition = number(element.get(3));
      if (repetition != REQUIRED && repetition != OPTIONAL) {
        throw new Colconf.Unsupported("column " + name + " is repeated");
      }
      leaves.add(new Leaf(name, repetition == OPTIONAL));
    }
    if (leaves.isEmpty()) throw new Colconf.Unsupported("no column");
    return leaves;
  }

  private static void chunk(ByteBuffer bytes, Map<Integer, Object> chunk, Leaf leaf, long rows, List<Object> column)
      throws IOException {
    if (!chunk.containsKey(3) || chunk.containsKey(1)) {
      throw new Colconf.Unsupported("a column chunk in another place");
    }
    Map<Integer, Object> meta = struct(chunk.get(3));
    if (number(meta.get(4)) != 0) throw new Colconf.Unsupported("codec " + meta.get(4));
    long values = number(meta.get(5));
    long end = column.size() + values;
    if (end > MOST_VALUES) throw new Colconf.Unsupported("a column of " + end + " values");
    Thrift cursor = new Thrift(bytes);
    cursor.take(number(meta.get(9)));
    while (column.size() < end) {
      Map<Integer, Object> header = cursor.struct(0);
      page(header, new Thrift(cursor.take(number(header.get(3)))), leaf, column, end - column.size());
    }
    if (column.size() != end || values != rows) throw new IOException(values + " values for " + rows + " rows");
  }

  /** Append the values of a page, of which its chunk has at most {@code most}. */
  private static void page(Map<Integer, Object> header, Thrift page, Leaf leaf, List<Object> column, long most)
      throws IOException {
    long kind = number(header.get(1));
    if (kind == INDEX_PAGE) return;
    if (kind != DATA_PAGE && kind != DATA_PAGE_V2) throw new Colconf.Unsupported("a page of type " + kind);
    boolean second = kind == DATA_PAGE_V2;
    Map<Integer, Object> details = struct(header.get(second ? 8 : 5));
    if (details == null) throw new IOException("a page without its header");
    long encoding = number(details.get(second ? 4 : 2));
    if (encoding != PLAIN) throw new Colconf.Unsupported("encoding " + encoding);
    long count = number(details.get(1));
    if (count < 0 || count > most) throw new IOException("a page of " + count + " values, where " + most + " are left");
    List<Integer> present = null;
    if (leaf.optional) {
      if (!second && number(details.get(3)) != RLE) throw new Colconf.Unsupported("levels in another encoding");
      long size = second ? number(details.get(5)) : Integer.toUnsignedLong(page.take(4).getInt());
      present = levels(new Thrift(page.take(size)), count);
    } else if (second) {
      page.take(number(details.get(5)));
    }
    for (int at = 0; at < count; at++) {
      boolean isThere = present == null || present.get(at) == 1;
      column.add(isThere ? Colconf.whole(page.take(4).getInt()) : null);
    }
  }

  /** Return levels of one bit: a hybrid of runs and bit-packed groups of 8 (Encodings.md, RLE). */
  private static List<Integer> levels(Thrift cursor, long count) throws IOException {
    List<Integer> out = new ArrayList<>();
    while (out.size() < count) {
      long head = cursor.varint();
      if (head == 0) throw new IOException("a run of no levels");
      if ((head & 1) == 1) {
        for (long left = head >>> 1; left > 0; left--) {
          int packed = cursor.unsigned();
          for (int bit = 0; bit < 8; bit++) out.add(packed >> bit & 1);
        }
      } else {
        int level = cursor.unsigned();
        for (long left = Math.min(head >>> 1, count - out.size()); left > 0; left--) out.add(level);
      }
    }
    return out;
  }

  @SuppressWarnings("unchecked")
  private static Map<Integer, Object> struct(Object value) {
    return (Map<Integer, Object>) value;
  }

  private static List<?> list(Object value) {
    return (List<?>) value;
  }

  private static long number(Object value) throws IOException {
    if (value instanceof Long number) return number;
    throw new IOException("a number of a header is missing");
  }

  private static byte[] raw(ByteBuffer value) {
    byte[] out = new byte[value.remaining()];
    value.get(value.position(), out);
    return out;
  }
}
