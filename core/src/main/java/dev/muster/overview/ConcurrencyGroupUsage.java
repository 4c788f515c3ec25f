package dev.muster.overview;

import dev.muster.job.JobCount;
import dev.muster.job.JobRate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How far a concurrency group is used; {@code dev.muster.internal.admission} says what that is.
 *
 * @param group its name, such as {@code key/send_mail/acme}
 * @param kind {@code name}, {@code key}, {@code order}, {@code fifo} or {@code fair}
 * @param job the name of its jobs; empty if they may have any
 * @param key empty if all jobs of that name belong to one group
 * @param max how many places it has; empty if only a rate limits its jobs
 * @param rate how many jobs may begin in a time
 * @param running how many jobs hold a place, whether a node runs them already or not
 * @param waiting how many wait for admission
 * @param oldest since when the first one waits for admission
 */
public record ConcurrencyGroupUsage(
        String group,
        String kind,
        Optional<String> job,
        Optional<String> key,
        Optional<Integer> max,
        Optional<JobRate> rate,
        JobCount running,
        JobCount waiting,
        Optional<Instant> oldest) {

    /**
     * Some groups, in the order of their names.
     *
     * @param next after which group to continue; empty if there are no more
     */
    public record Page(List<ConcurrencyGroupUsage> groups, Optional<String> next) {
        public Page {
            groups = List.copyOf(groups);
        }
    }

    /** A group by its name. */
    public static ConcurrencyGroupUsage of(
            String group,
            Optional<Integer> max,
            Optional<JobRate> rate,
            JobCount running,
            JobCount waiting,
            Optional<Instant> oldest) {
        String[] parts = group.split("/", 3);
        boolean anyJob = parts[0].equals("fifo") || parts[0].equals("fair");
        Optional<String> key = anyJob
                ? Optional.of(group.substring(parts[0].length() + 1))
                : parts.length == 3 ? Optional.of(parts[2]) : Optional.empty();
        Optional<String> job = anyJob || parts.length < 2 ? Optional.empty() : Optional.of(parts[1]);
        return new ConcurrencyGroupUsage(group, parts[0], job, key, max, rate, running, waiting, oldest);
    }
}
