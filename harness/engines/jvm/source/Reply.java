package colconf;

/** What the tables of a reply share: how many characters of blocks may still stand in its line. */
public class Reply {
    public int budget = 4 << 20;
}
