import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Thrift's compact protocol, as far as Parquet's footer and page headers need it; every read is checked.
 *
 * <p>https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
final class Thrift {
  private static final int DEPTH = 32;
  private final ByteBuffer bytes;

  Thrift(ByteBuffer bytes) {
    this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Return the next bytes, little-endian. */
  ByteBuffer take(long size) throws IOException {
    if (size < 0 || size > bytes.remaining()) throw new IOException(size + " bytes are not there");
    ByteBuffer taken = bytes.slice(bytes.position(), (int) size).order(ByteOrder.LITTLE_ENDIAN);
    bytes.position(bytes.position() + (int) size);
    return taken;
  }

  int unsigned() throws IOException {
    return take(1).get() & 0xFF;
  }

  long varint() throws IOException {
    long number = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int next = unsigned();
      if (shift < 64) number |= (long) (next & 0x7F) << shift;
      if (next < 0x80) return number;
    }
    throw new IOException("a varint is longer than 10 bytes");
  }

  long zigzag() throws IOException {
    long number = varint();
    return (number >>> 1) ^ -(number & 1);
  }

  /** Return the fields of a struct by their ids. */
  Map<Integer, Object> struct(int depth) throws IOException {
    Map<Integer, Object> fields = new HashMap<>();
    int id = 0;
    for (int head = unsigned(); head != 0; head = unsigned()) {
      id = head >> 4 != 0 ? id + (head >> 4) : (int) zigzag();
      int type = head & 15;
      fields.put(id, type <= 2 ? (Object) (type == 1) : value(type, depth));
    }
    return fields;
  }

  private Object value(int type, int depth) throws IOException {
    if (depth > DEPTH) throw new IOException("structs are nested too deep");
    switch (type) {
      case 1:
      case 2:
        return unsigned() == 1; // of a list
      case 3:
        return (long) unsigned();
      case 4:
      case 5:
      case 6:
        return zigzag();
      case 7:
        return take(8);
      case 13:
        return take(16); // a UUID
      case 8:
        return take(varint());
      case 9:
      case 10:
        int head = unsigned();
        return list(head >> 4 == 15 ? varint() : head >> 4, depth, head & 15);
      case 11:
        long size = varint();
        int types = size == 0 ? 0 : unsigned();
        return list(size, depth, types >> 4, types & 15);
      case 12:
        return struct(depth + 1);
      default:
        throw new IOException("type " + type + " is unknown to Thrift");
    }
  }

  private List<Object> list(long size, int depth, int... types) throws IOException {
    if (size < 0 || size > bytes.capacity()) throw new IOException("a list of " + size + " elements is too long");
    List<Object> out = new ArrayList<>();
    for (long left = size; left > 0; left--) {
      for (int type : types) out.add(value(type, depth + 1));
    }
    return out;
  }
}
