package dev.muster.cli.internal.console;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Formats times relative to now: "3s ago", "in 5m". */
public final class Ages {
    private final Instant now;

    public Ages(Instant now) {
        this.now = now;
    }

    public String of(Optional<Instant> time) {
        return time.map(this::of).orElse("-");
    }

    public String of(Instant time) {
        Duration age = Duration.between(time, now);
        return age.isNegative() ? "in " + brief(age.negated()) : brief(age) + " ago";
    }

    /** A duration in its largest unit: "250ms", "3s", "5m", "2h", "9d". */
    public static String brief(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1_000) {
            return millis + "ms";
        }
        if (millis < 60_000) {
            return millis / 1_000 + "s";
        }
        if (millis < 3_600_000) {
            return millis / 60_000 + "m";
        }
        return millis < 172_800_000 ? millis / 3_600_000 + "h" : millis / 86_400_000 + "d";
    }
}
