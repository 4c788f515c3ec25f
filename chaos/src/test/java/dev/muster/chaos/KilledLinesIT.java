package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.chaos.LinedJobs.Lined;
import dev.muster.job.JobRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lines whose nodes are killed at any point: also between an outcome and the admission that follows it. */
@Order(1)
class KilledLinesIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(KilledLinesIT.class);

    /** -Dmuster.chaos.kill_seconds=60 is what is promised. */
    private static final Duration KILLING = Duration.ofSeconds(Integer.getInteger("muster.chaos.kill_seconds", 20));

    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(2);
    private static final Map<String, String> APP = Map.of("app", LinedJobs.class.getName());
    private static final int NODES = 5;
    private static final int KEYS = 2;

    /** So many of a key can begin during the kills, one after the other, unless the kills take longer because nodes start slowly. */
    private static final int DURING_KILLS = (int) (KILLING.toMillis() / LinedJobs.RUN_MILLIS);

    /** So many are enqueued after the last kill, so that there are some to take the places again. */
    private static final int AFTERWARDS = (int) (Duration.ofSeconds(2).toMillis() / LinedJobs.RUN_MILLIS);

    private static final int IN_ORDER = DURING_KILLS + AFTERWARDS;

    private static final int LIMITED = IN_ORDER * LinedJobs.AT_ONCE;

    @Test
    void neverTooManyOfAKeyRunAndNoneIsLeftOver() {
        LinedJobs.prepare(database);
        NodeKiller killer = new NodeKiller(database, id -> launchAsTold(id, APP));
        killer.start(NODES);
        for (int i = 1; i <= DURING_KILLS; i++) {
            jobs().enqueueAll(round(i));
        }

        int kills = killer.kill(KILLING, (int) KILLING.toSeconds() / 3, BETWEEN_KILLS, node -> {});
        jobs().enqueueAll(IntStream.rangeClosed(DURING_KILLS + 1, IN_ORDER)
                .mapToObj(KilledLinesIT::round)
                .flatMap(List::stream)
                .toList());

        long recovery = 0;
        for (int key = 0; key < KEYS; key++) {
            recovery = Math.max(recovery, millisUntil("key/limited/limited-" + key, LinedJobs.AT_ONCE));
            recovery = Math.max(recovery, millisUntil("order/in_order/ordered-" + key, 1));
        }
        awaitAllEnded(Duration.ofMinutes(4));
        log.info(
                "{} kills, {} jobs, at most {} of a limited key at a time, all places used again {} ms after the last kill",
                kills,
                effects(),
                runsOf("key/limited/limited-0").mostAtATime(),
                recovery);

        assertThat(recovery).isLessThanOrEqualTo(RECOVERY.toMillis());
        assertThat(effects()).isEqualTo((long) KEYS * (LIMITED + IN_ORDER));
        for (int key = 0; key < KEYS; key++) {
            assertThat(runsOf("key/limited/limited-" + key).mostAtATime()).isEqualTo(LinedJobs.AT_ONCE);
            assertThat(numbers("limited-" + key, "lined_effects.number")).isEqualTo(upTo(LIMITED));
            assertThat(runsOf("order/in_order/ordered-" + key).mostAtATime()).isOne();
            assertThat(numbers("ordered-" + key, "id"))
                    .as("in the order in which they were enqueued")
                    .isEqualTo(upTo(IN_ORDER));
        }
    }

    /** As many jobs of each key as can run at a time. */
    private static List<JobRequest> round(int number) {
        List<JobRequest> requests = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            requests.add(job("in_order", "ordered-" + key, number));
            for (int i = 1; i <= LinedJobs.AT_ONCE; i++) {
                requests.add(job("limited", "limited-" + key, (number - 1) * LinedJobs.AT_ONCE + i));
            }
        }
        return requests;
    }

    private static JobRequest job(String name, String key, int number) {
        return Probe.watched(JobRequest.of(name, new Lined(key, number)));
    }

    private long millisUntil(String line, int jobs) {
        return await("all places of " + line + " are used again")
                .atMost(RECOVERY)
                .until(() -> runsOf(line).millisUntil(jobs), OptionalLong::isPresent)
                .getAsLong();
    }

    private WitnessedRuns runsOf(String line) {
        return new WitnessedRuns(database, "line = '" + line + "'");
    }

    private long effects() {
        return database.number("SELECT count(*) FROM lined_effects");
    }

    private List<String> numbers(String key, String order) {
        return database.column("SELECT number::text FROM lined_effects WHERE key = '" + key + "' ORDER BY " + order);
    }

    private static List<String> upTo(int last) {
        return IntStream.rangeClosed(1, last).mapToObj(String::valueOf).toList();
    }
}
