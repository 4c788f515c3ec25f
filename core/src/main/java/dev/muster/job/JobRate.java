package dev.muster.job;

import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.DurationText.InvalidDuration;
import java.time.Duration;

/**
 * How many jobs may start in a time. They start evenly: one whenever a part of the interval has passed. After a pause a few may
 * start at once, the burst. So in any interval at most {@code jobs} plus {@code burst} jobs start.
 *
 * @param jobs 1 to 1,000,000
 * @param interval 1 ms to 366 days, in whole milliseconds; at most 100,000 jobs per second
 * @param burst 1 to {@code jobs}
 */
public record JobRate(int jobs, Duration interval, int burst) {
    private static final int MOST_JOBS = 1_000_000;
    private static final long MOST_PER_SECOND = 100_000;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(366);

    /** The burst is what starts in this time, if nobody says otherwise. */
    private static final Duration USUAL_BURST = Duration.ofMillis(100);

    /** @throws InvalidJobLimit if a value is out of its bounds */
    public JobRate {
        if (jobs < 1 || jobs > MOST_JOBS) {
            throw new InvalidJobLimit("a rate is 1 to " + MOST_JOBS + " jobs in a time, not " + jobs);
        }
        if (interval.compareTo(SHORTEST) < 0
                || interval.compareTo(LONGEST) > 0
                || interval.toNanosPart() % 1_000_000 != 0) {
            throw new InvalidJobLimit("the time of a rate is 1 ms to 366 days, in whole milliseconds, not " + interval);
        }
        if (jobs * 1_000L / interval.toMillis() > MOST_PER_SECOND) {
            throw new InvalidJobLimit("a rate is at most " + MOST_PER_SECOND + " jobs per second");
        }
        if (burst < 1 || burst > jobs) {
            throw new InvalidJobLimit("the burst of a rate of " + jobs + " jobs is 1 to " + jobs + ", not " + burst);
        }
    }

    /** A rate whose burst is what may start within a tenth of a second, at least one job. */
    public JobRate(int jobs, Duration interval) {
        this(jobs, interval, usualBurst(jobs, interval));
    }

    private static int usualBurst(int jobs, Duration interval) {
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            return 1;
        }
        long millis = interval.toMillis();
        return (int) Math.max(1, Math.min(jobs, jobs * USUAL_BURST.toMillis() / millis));
    }

    /**
     * Reads a rate such as {@code 100/1m} or {@code 5/s}.
     *
     * @throws InvalidJobLimit if it is none
     */
    public static JobRate parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw notARate(text);
        }
        String time = text.substring(slash + 1).strip();
        try {
            int jobs = Integer.parseInt(text.substring(0, slash).strip());
            boolean hasNumber = !time.isEmpty() && Character.isDigit(time.charAt(0));
            return new JobRate(jobs, DurationText.parse(hasNumber ? time : "1" + time));
        } catch (NumberFormatException | InvalidDuration e) {
            throw notARate(text);
        }
    }

    private static InvalidJobLimit notARate(String text) {
        return new InvalidJobLimit(
                "'" + text + "' is no rate; write a number of jobs and a time, such as 100/1m, 5/s or 1000/1h");
    }

    /** The same rate with another burst. */
    public JobRate withBurst(int jobsAtOnce) {
        return new JobRate(jobs, interval, jobsAtOnce);
    }

    @Override
    public String toString() {
        return jobs + "/" + DurationText.format(interval);
    }
}
