package colconf;

import java.math.BigInteger;
import java.util.TimeZone;

/** The zone that ORC is read in, this process's default: values of the switch `zone`, and its wall clock. */
class Zones {
    private static final BigInteger GIGA = BigInteger.valueOf(1000000000L);
    private static final int SECOND_BITS = 53; // as milliseconds, they fit into 63 bits
    private static final long DAY = 86400000L;

    static void enter(String zone) {
        String name = zone == null || zone.equals("utc") ? "UTC"
            : zone.equals("los_angeles") ? "America/Los_Angeles"
            : zone.equals("kolkata") ? "Asia/Kolkata" : "Australia/Lord_Howe";
        if (!TimeZone.getDefault().getID().equals(name)) TimeZone.setDefault(TimeZone.getTimeZone(name));
    }

    /** Returns nanoseconds since 1970 of a moment as java.sql.Timestamp has it, or those of its wall clock. */
    static BigInteger nanos(long millis, int nanos, boolean isWallClock) {
        long shown = isWallClock ? millis + TimeZone.getDefault().getOffset(millis) : millis;
        return BigInteger.valueOf(Math.floorDiv(shown, 1000L)).multiply(GIGA).add(BigInteger.valueOf(nanos));
    }

    /**
     * Returns the Timestamp of nanoseconds since 1970, of a wall clock when the zone shows it. Raises Unsupported if it
     * is shown never or twice, or in no year that a Timestamp has.
     */
    static java.sql.Timestamp timestamp(BigInteger count, boolean isWallClock) {
        BigInteger[] parts = count.divideAndRemainder(GIGA);
        if (parts[0].bitLength() >= SECOND_BITS) throw new Unsupported("a moment in no year of a Timestamp");
        long seconds = parts[0].longValue();
        int nanos = parts[1].intValue();
        if (nanos < 0) {
            nanos += 1000000000;
            seconds--;
        }
        long millis = isWallClock ? instant(seconds * 1000L) : seconds * 1000L;
        java.sql.Timestamp out = new java.sql.Timestamp(millis);
        out.setNanos(nanos);
        return out;
    }

    /**
     * Returns the milliseconds since 1970 at which the zone shows a wall clock.
     *
     * By the offsets of TimeZone, as `nanos` and orc-java have them: before a zone's first rules, those of java.time
     * differ ("local mean time").
     */
    private static long instant(long wall) {
        TimeZone zone = TimeZone.getDefault();
        long first = wall - zone.getOffset(wall - DAY), second = wall - zone.getOffset(wall + DAY);
        boolean isFirst = first + zone.getOffset(first) == wall;
        boolean isSecond = second + zone.getOffset(second) == wall;
        boolean isTwice = isFirst && isSecond && first != second;
        if (isTwice || !isFirst && !isSecond) throw new Unsupported("a wall clock that is not a unique instant in the zone");
        return isFirst ? first : second;
    }
}
