package library;

/** What a library may raise, from code that is not the adapter's. */
public class Library {
    public static class Mute extends RuntimeException {
        public String getMessage() {
            throw new IllegalStateException("no text");
        }
    }

    public static void raise(String fault) throws Exception {
        if (fault.equals("memory")) System.err.println(new long[Integer.MAX_VALUE].length);
        if (fault.equals("stack")) raise(fault);
        if (fault.equals("operation")) throw new UnsupportedOperationException("no such page");
        if (fault.equals("class")) throw new ClassNotFoundException("library.Absent");
        if (fault.equals("codec")) throw new ClassNotFoundException("org.apache.hadoop.io.compress.BrotliCodec");
        if (fault.equals("mute")) throw new Mute();
    }
}
