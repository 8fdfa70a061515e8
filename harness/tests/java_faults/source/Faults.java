package colconf;

import java.util.Map;

/** An engine that raises what the configuration names, in its own code or a library's. */
public class Faults extends Engine {
    public void read(String file, Map config, TableWriter out) throws Exception {
        String fault = (String) config.get("fault");
        if (fault.equals("own-memory")) System.err.println(new long[Integer.MAX_VALUE].length);
        if (fault.equals("own-stack")) read(file, config, out);
        if (fault.equals("own-mistake")) throw new IllegalStateException("mistake");
        library.Library.raise(fault);
    }

    public void query(String file, Map config, Map query, TableWriter out) {
    }
}
