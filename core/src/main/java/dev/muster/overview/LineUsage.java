package dev.muster.overview;

import dev.muster.job.JobCount;
import dev.muster.job.JobRate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A line that jobs stand in, or hold places of; {@code dev.muster.line} says what that is.
 *
 * @param line its name, such as {@code key/send_mail/acme}
 * @param kind {@code name}, {@code key}, {@code order}, {@code fifo} or {@code fair}
 * @param job the name of its jobs; empty if they may have any
 * @param key empty if all jobs of that name stand in one line
 * @param max how many places it has; empty if only a rate limits its jobs
 * @param rate how many jobs may begin in a time
 * @param running how many jobs hold a place, whether a node runs them already or not
 * @param waiting how many stand in line
 * @param oldest since when the first one stands in line
 */
public record LineUsage(
        String line,
        String kind,
        Optional<String> job,
        Optional<String> key,
        Optional<Integer> max,
        Optional<JobRate> rate,
        JobCount running,
        JobCount waiting,
        Optional<Instant> oldest) {

    /**
     * Some lines, in the order of their names.
     *
     * @param next after which line to go on; empty if there are no more
     */
    public record Page(List<LineUsage> lines, Optional<String> next) {
        public Page {
            lines = List.copyOf(lines);
        }
    }

    /** A line by its name. */
    public static LineUsage of(
            String line,
            Optional<Integer> max,
            Optional<JobRate> rate,
            JobCount running,
            JobCount waiting,
            Optional<Instant> oldest) {
        String[] parts = line.split("/", 3);
        boolean anyJob = parts[0].equals("fifo") || parts[0].equals("fair");
        Optional<String> key = anyJob
                ? Optional.of(line.substring(parts[0].length() + 1))
                : parts.length == 3 ? Optional.of(parts[2]) : Optional.empty();
        Optional<String> job = anyJob || parts.length < 2 ? Optional.empty() : Optional.of(parts[1]);
        return new LineUsage(line, parts[0], job, key, max, rate, running, waiting, oldest);
    }
}
