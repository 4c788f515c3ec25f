package dev.muster.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Jobs of many keys that become due after everything was restarted: no process has a timer for them. */
class DelayedAdmissionIT extends EngineIT {
    private static final Logger log = LoggerFactory.getLogger(DelayedAdmissionIT.class);
    private static final Duration DELAY = Duration.ofHours(1);
    private static final Duration PROMISED = Duration.ofSeconds(5);

    private final AtomicInteger ran = new AtomicInteger();

    final class Mails {
        @Job(value = "mail", maxConcurrent = 1, concurrencyKey = "customer")
        void send(Mail mail) {
            ran.incrementAndGet();
        }
    }

    record Mail(int customer) {}

    /** A job for each key; they become due evenly within this time. */
    private void enqueueAndStop(int keys, Duration within) {
        Muster before = builder(Map.of(), new Mails()).build();
        try (before) {
            before.start();
            for (int from = 0; from < keys; from += 1_000) {
                before.jobs()
                        .enqueueAll(IntStream.range(from, Math.min(keys, from + 1_000))
                                .mapToObj(i -> JobRequest.of("mail", new Mail(i))
                                        .delay(DELAY.plus(within.multipliedBy(i).dividedBy(keys))))
                                .toList());
            }
        }
    }

    private void awaitAll(int keys) {
        await().atMost(Duration.ofMinutes(15)).until(() -> ran.get() == keys);
        await().atMost(Duration.ofMinutes(15))
                .until(() -> database.column("SELECT count(*) FROM muster_job_history WHERE status = 'completed'")
                        .equals(List.of(String.valueOf(keys))));
    }

    /** How late the job was that began latest. */
    private Duration latest() {
        String millis = database.column("SELECT (date_part('epoch', max(started_at - run_at)) * 1000)::bigint"
                        + " FROM muster_job_history")
                .get(0);
        return Duration.ofMillis(Long.parseLong(millis));
    }

    @Test
    void theJobsOfAllKeysBeginAlthoughNobodyHasTimersForThem() {
        int keys = 3_000;
        enqueueAndStop(keys, Duration.ofSeconds(1));
        database.passTime(DELAY, List.of());
        node(new Mails());

        awaitAll(keys);

        assertThat(ran).hasValue(keys);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    @LongTest(
            twin = DelayedAdmissionIT.class,
            test = "theJobsOfAllKeysBeginAlthoughNobodyHasTimersForThem",
            why = "100,000 keys, and how late their jobs begin")
    void eachOfAHundredThousandJobsBeginsWithinFiveSecondsOfItsTime() {
        int keys = 100_000;
        Duration within = Duration.ofMinutes(2);
        Duration untilFirst = Duration.ofSeconds(30);
        enqueueAndStop(keys, within);
        Duration sinceEnqueued = Duration.ofMillis(Long.parseLong(database.column(
                        "SELECT (date_part('epoch', muster_clock() - min(created_at)) * 1000)::bigint FROM muster_jobs")
                .get(0)));
        database.passTime(DELAY.minus(sinceEnqueued).minus(untilFirst), List.of());
        node(Map.of("worker.sweep_interval", "5s"), new Mails());

        awaitAll(keys);

        Duration latest = latest();
        log.info("of {} jobs the latest began {} ms after its time", keys, latest.toMillis());
        Measured.within(PROMISED, latest, "the latest start of " + keys + " delayed jobs");
    }
}
