package colconf;

import java.util.Map;

/** A reader of files. `file` is a name as the request has it (Main.path); a failure is whatever the reader raises. */
public abstract class Engine {
    /** Returns the name by which the reader's messages call a file. */
    public String nameOf(String file) {
        return Main.path(file).toString();
    }

    /** Writes the whole file into a table. */
    public abstract void read(String file, Map config, TableWriter out) throws Exception;

    /** Writes the answer to a query into a table. */
    public abstract void query(String file, Map config, Map query, TableWriter out) throws Exception;
}
