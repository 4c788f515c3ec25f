package dev.muster.internal.recovery;

import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was taken from nodes, as lines for the log: one for each node and job name, because a node may have held thousands. The ids are in it
 * of those jobs that somebody has to look at.
 */
final class RecoveryReport {
    private static final Logger log = LoggerFactory.getLogger(RecoveryReport.class);

    /** {@code muster jobs list --status failed} has all of them. */
    private static final int MOST_IDS = 20;

    private final Map<Key, Sum> sums = new LinkedHashMap<>();

    private record Key(String node, String name) {}

    private static final class Sum {
        private int jobs;
        private int crashes;
        private int deadLetters;
        private final List<JobId> deadLetterIds = new ArrayList<>();
        private Duration oldestLease = Duration.ofSeconds(Long.MIN_VALUE);

        private void add(Recovered job) {
            jobs++;
            if (job.crash()) {
                crashes++;
            }
            if (job.status() == JobStatus.FAILED && ++deadLetters <= MOST_IDS) {
                deadLetterIds.add(job.id());
            }
            if (job.leaseAge().compareTo(oldestLease) > 0) {
                oldestLease = job.leaseAge();
            }
        }

        private String deadLettersAsText() {
            return deadLetterIds.stream().map(JobId::toString).collect(Collectors.joining(","))
                    + (deadLetters > MOST_IDS ? ",..." : "");
        }
    }

    void add(Recovered job) {
        sums.computeIfAbsent(new Key(job.node(), job.name()), key -> new Sum()).add(job);
    }

    void log() {
        sums.forEach((key, sum) -> {
            Object[] values = {
                key.node(),
                key.name(),
                sum.jobs,
                sum.crashes,
                sum.oldestLease.isNegative() ? "lease_left_ms" : "lease_over_ms",
                sum.oldestLease.abs().toMillis(),
                sum.deadLetters,
                sum.deadLettersAsText()
            };
            if (sum.deadLetters == 0) {
                log.warn("taken from peer={} name={} jobs={} crashes={} {}={}", values);
            } else {
                log.warn("taken from peer={} name={} jobs={} crashes={} {}={} dead_letters={} ids={}", values);
            }
        });
    }
}
