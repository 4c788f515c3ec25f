package dev.muster.schedule;

import dev.muster.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A cron as its row says.
 *
 * @param goneAt since when no live node has had this static cron in its code; it does not tick meanwhile
 * @param nextTick empty while it is paused or gone, or until the leader has computed it
 * @param lastTick the last tick that gave a job, which is {@code lastJob}
 * @param problem why its last tick gave no job
 */
public record CronInfo(
        CronDefinition definition,
        Source source,
        Optional<Instant> pausedAt,
        Optional<Instant> goneAt,
        Optional<Instant> nextTick,
        Optional<Instant> lastTick,
        Optional<JobId> lastJob,
        Optional<String> problem) {

    /** Who says what the cron is. */
    public enum Source {
        /** An annotation: it comes and goes with the code. */
        STATIC,
        /** Whoever created it at run time. */
        DYNAMIC;

        /** The word in tables and JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Source parse(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    public String name() {
        return definition.name();
    }

    /** The ticks after this instant, so many of them. */
    public List<Instant> next(Instant after, int count) {
        return definition.schedule().next(after, count);
    }
}
