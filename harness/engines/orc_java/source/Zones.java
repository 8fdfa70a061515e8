package colconf;

import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TimeZone;

/** The zone that ORC is read in, this process's default: values of the switch `zone`, and its wall clock. */
class Zones {
    private static final BigInteger GIGA = BigInteger.valueOf(1000000000L);
    // The years in which every zone has rules, and LocalDateTime has seconds.
    private static final long FAR = 1L << 40;

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

    /** Returns the Timestamp of nanoseconds since 1970, of a wall clock when the zone shows it. */
    static java.sql.Timestamp timestamp(BigInteger count, boolean isWallClock) {
        BigInteger[] parts = count.divideAndRemainder(GIGA);
        long seconds = parts[0].longValue();
        int nanos = parts[1].intValue();
        if (nanos < 0) {
            nanos += 1000000000;
            seconds--;
        }
        if (isWallClock && !TimeZone.getDefault().getID().equals("UTC")) {
            if (Math.abs(seconds) > FAR) throw new Unsupported("a moment in no year of the zone");
            LocalDateTime wall = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
            List offsets = TimeZone.getDefault().toZoneId().getRules().getValidOffsets(wall);
            if (offsets.size() != 1) throw new Unsupported("a wall clock that is not one moment in the zone");
            seconds -= ((ZoneOffset) offsets.get(0)).getTotalSeconds();
        }
        java.sql.Timestamp out = new java.sql.Timestamp(Math.multiplyExact(seconds, 1000L));
        out.setNanos(nanos);
        return out;
    }
}
