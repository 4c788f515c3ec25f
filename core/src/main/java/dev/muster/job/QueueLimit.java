package dev.muster.job;

import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a queue, for the whole cluster.
 *
 * @param maxRunning how many of its jobs may be held by nodes at a time, 0 to 1,000,000; absent for any number
 * @param rate how many of its jobs may start in a time; absent for any number
 */
public record QueueLimit(OptionalInt maxRunning, Optional<JobRate> rate) {
    private static final int MOST = 1_000_000;

    /** No limit at all. */
    public static final QueueLimit NONE = new QueueLimit(OptionalInt.empty(), Optional.empty());

    /** @throws InvalidJobLimit if a value is out of its bounds */
    public QueueLimit {
        maxRunning.ifPresent(max -> {
            if (max < 0 || max > MOST) {
                throw new InvalidJobLimit("a queue's limit is 0 to " + MOST + " jobs at a time, not " + max);
            }
        });
    }

    /** @param rate null for none */
    public static QueueLimit of(@Nullable Integer maxRunning, @Nullable JobRate rate) {
        return new QueueLimit(
                maxRunning == null ? OptionalInt.empty() : OptionalInt.of(maxRunning), Optional.ofNullable(rate));
    }

    /** At most this many jobs at a time. */
    public static QueueLimit maxRunning(int jobs) {
        return of(jobs, null);
    }

    /** At most this many jobs in a time. */
    public static QueueLimit rate(JobRate rate) {
        return of(null, rate);
    }

    public boolean isNone() {
        return maxRunning.isEmpty() && rate.isEmpty();
    }
}
