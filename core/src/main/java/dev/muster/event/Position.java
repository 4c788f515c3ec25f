package dev.muster.event;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A point in the history of jobs, which is ordered by when they ended and then by their ids.
 *
 * @param micros microseconds since 1970, by the database's clock
 * @param id the job that ended then, or {@link #FIRST} or {@link #LAST} for the moment before or after all jobs that did
 */
public record Position(long micros, UUID id) implements Comparable<Position> {
    /** Comes before every id of a job. */
    public static final UUID FIRST = new UUID(0, 0);

    /** Comes after every id of a job. */
    public static final UUID LAST = new UUID(-1, -1);

    private static final Pattern TEXT =
            Pattern.compile("(\\d{1,16})-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})");

    /** The point before all jobs that ended at this moment. */
    public static Position before(Instant moment) {
        return new Position(micros(moment), FIRST);
    }

    /** The point after all jobs that ended at this moment. */
    public static Position after(Instant moment) {
        return new Position(micros(moment), LAST);
    }

    /** The point of a job that ended at this moment. */
    public static Position of(Instant moment, UUID job) {
        return new Position(micros(moment), job);
    }

    private static long micros(Instant moment) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, moment);
    }

    /**
     * Parses what {@link #toString} returns.
     *
     * @throws IllegalArgumentException if the text is no position
     */
    public static Position parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no position in history; events have them as their ids");
        }
        return new Position(Long.parseLong(matcher.group(1)), UUID.fromString(matcher.group(2)));
    }

    public Instant moment() {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    public boolean isBefore(Position other) {
        return compareTo(other) < 0;
    }

    public static Position earlier(Position one, Position other) {
        return other.isBefore(one) ? other : one;
    }

    public static Position later(Position one, Position other) {
        return one.isBefore(other) ? other : one;
    }

    /** Ids are compared as PostgreSQL does it: without signs. */
    @Override
    public int compareTo(Position other) {
        int time = Long.compare(micros, other.micros);
        if (time != 0) {
            return time;
        }
        int high = Long.compareUnsigned(id.getMostSignificantBits(), other.id.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(id.getLeastSignificantBits(), other.id.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return micros + "-" + id;
    }
}
