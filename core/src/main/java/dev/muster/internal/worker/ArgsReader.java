package dev.muster.internal.worker;

import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decrypts the stored args of jobs, and logs those that this node cannot decrypt. */
final class ArgsReader {
    private static final Logger log = LoggerFactory.getLogger(ArgsReader.class);
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_KEYS = 1_000;

    private final AttemptRules rules;
    private final Clock clock;
    private final Map<String, Long> reported = new ConcurrentHashMap<>();

    ArgsReader(AttemptRules rules, Clock clock) {
        this.rules = rules;
        this.clock = clock;
    }

    /**
     * The args as JSON.
     *
     * @throws UnreadablePayload if the args cannot be decrypted, or are in plain text and must not be; logged once a minute for
     *     each key
     */
    OpenArgs open(ClaimedJob job, String stored) {
        try {
            return rules.openArgs(job.id(), stored);
        } catch (UnreadablePayload e) {
            report(job, e);
            throw e;
        }
    }

    private void report(ClaimedJob job, UnreadablePayload e) {
        long now = clock.nanos();
        if (reported.size() >= MAX_KEYS) {
            reported.clear();
        }
        Long before = reported.get(e.keyId());
        boolean due = before == null
                ? reported.putIfAbsent(e.keyId(), now) == null
                : now - before >= QUIET_NANOS && reported.replace(e.keyId(), before, now);
        if (due) {
            log.error(
                    "job={} job_name={} kid={} not started and put back in the queue: {}",
                    job.id(),
                    job.name(),
                    e.keyId(),
                    e.getMessage());
        }
    }
}
