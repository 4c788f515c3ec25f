package dev.muster.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** {@code @every 30s}: ticks at multiples of a duration since 1970 in UTC, so that all nodes agree, also after a restart. */
record FixedRate(Duration period) implements Schedule {

    @Override
    public Optional<Instant> next(Instant after) {
        long millis = period.toMillis();
        return Optional.of(Instant.ofEpochMilli((Math.floorDiv(after.toEpochMilli(), millis) + 1) * millis));
    }
}
