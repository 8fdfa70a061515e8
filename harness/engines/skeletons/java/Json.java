import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON: a map, a list, a String, a Double, a Boolean or null. Written text is ASCII. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Return the value of a text; throws IllegalArgumentException. */
  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.space();
    if (json.at < text.length()) throw json.error();
    return value;
  }

  /** Append a value. */
  static void write(Object value, StringBuilder out) {
    if (value instanceof Map<?, ?> map) {
      String before = "{";
      if (map.isEmpty()) out.append('{');
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(before);
        string(entry.getKey().toString(), out);
        out.append(':');
        write(entry.getValue(), out);
        before = ",";
      }
      out.append('}');
    } else if (value instanceof List<?> list) {
      String before = "";
      out.append('[');
      for (Object element : list) {
        out.append(before);
        write(element, out);
        before = ",";
      }
      out.append(']');
    } else if (value instanceof String string) {
      string(string, out);
    } else {
      out.append(value);
    }
  }

  private static void string(String string, StringBuilder out) {
    out.append('"');
    for (int at = 0; at < string.length(); at++) {
      char character = string.charAt(at);
      if (character == '"' || character == '\\') out.append('\\').append(character);
      else if (character < ' ' || character > '~') out.append(String.format("\\u%04x", (int) character));
      else out.append(character);
    }
    out.append('"');
  }

  private Object value() {
    space();
    switch (peek()) {
      case '{':
        return members();
      case '[':
        return elements();
      case '"':
        return string();
      default:
        return word();
    }
  }

  private Map<String, Object> members() {
    Map<String, Object> out = new LinkedHashMap<>();
    for (at++, space(); peek() != '}'; ) {
      if (!out.isEmpty()) expect(',');
      space();
      String name = string();
      space();
      expect(':');
      out.put(name, value());
      space();
    }
    at++;
    return out;
  }

  private List<Object> elements() {
    List<Object> out = new ArrayList<>();
    for (at++, space(); peek() != ']'; space()) {
      if (!out.isEmpty()) expect(',');
      out.add(value());
    }
    at++;
    return out;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    for (; peek() != '"'; at++) {
      char character = peek();
      if (character == '\\') {
        at++;
        int known = "bfnrt".indexOf(peek());
        if (peek() == 'u') {
          character = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
          at += 4;
        } else {
          character = known < 0 ? peek() : "\b\f\n\r\t".charAt(known);
        }
      }
      out.append(character);
    }
    at++;
    return out.toString();
  }

  private Object word() {
    int start = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(start, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> Double.valueOf(word);
    };
  }

  private char peek() {
    if (at >= text.length()) throw error();
    return text.charAt(at);
  }

  private void expect(char character) {
    if (peek() != character) throw error();
    at++;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private IllegalArgumentException error() {
    return new IllegalArgumentException("no JSON at " + at);
  }
}
