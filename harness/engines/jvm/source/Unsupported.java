package colconf;

/** What the engine has no way to be asked, or the adapter no way to ask. */
public class Unsupported extends RuntimeException {
    public Unsupported(String message) {
        super(message);
    }
}
