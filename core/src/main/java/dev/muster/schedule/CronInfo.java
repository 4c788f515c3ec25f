package dev.muster.schedule;

import dev.muster.internal.runtime.Known;
import dev.muster.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A cron as its row says.
 *
 * @param goneAt since when no live node has had this static cron in its code; until one has, the cron does not tick
 * @param nextTick empty while the cron is paused or gone, or until the leader has computed the tick
 * @param lastTick the last tick that enqueued a job, which is {@code lastJob}
 * @param problem why the last tick enqueued no job
 * @param updatedAt when its definition was last changed; see {@link Crons#update(CronSpec, Instant)}
 */
public record CronInfo(
        CronDefinition definition,
        Source source,
        Optional<Instant> pausedAt,
        Optional<Instant> goneAt,
        Optional<Instant> nextTick,
        Optional<Instant> lastTick,
        Optional<JobId> lastJob,
        Optional<String> problem,
        Instant updatedAt) {

    /** Where the cron is defined. */
    public enum Source {
        /** By an annotation in code. */
        STATIC,
        /** By a call at run time. */
        DYNAMIC,
        /** A newer Muster has stored another one, which this version does not know. */
        UNKNOWN;

        /** The name in tables and JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
        public static Source stored(String text) {
            return Known.read(values(), Source::text, text, UNKNOWN);
        }

        /** All but {@link #UNKNOWN}: what people can choose or ask for. */
        public static List<Source> known() {
            return Known.allBut(UNKNOWN, values());
        }
    }

    public String name() {
        return definition.name();
    }

    /** The next {@code count} ticks after this instant. */
    public List<Instant> next(Instant after, int count) {
        return definition.schedule().next(after, count);
    }
}
