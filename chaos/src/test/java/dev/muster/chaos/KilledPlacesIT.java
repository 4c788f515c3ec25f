package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.chaos.GroupedJobs.Lined;
import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobRequest;
import dev.muster.job.QueueLimit;
import dev.muster.testing.Measured;
import dev.muster.testing.Sizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A limited queue and groups, and {@code kill -9} again and again, at any point: also between an outcome and the admission that follows it.
 * In {@code ./verify --long} for a minute and with the settings that a user gets.
 */
class KilledPlacesIT extends ChaosIT {
    private static final Duration KILLING = Duration.ofSeconds(60);
    private static final int KILLS = Sizes.of(3, 20);
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(2);
    private static final Duration RECOVERED_WITHIN = Duration.ofSeconds(25);
    private static final int NODES = Sizes.of(2, 5);

    /** A node has a thread for each place, so that it holds no job that it cannot begin. */
    private static final Map<String, String> APP =
            Map.of("app", GroupedJobs.class.getName(), "worker.concurrency", "16");

    private static final String GATE = "all places are used";
    private static final int PLACES = 3;
    private static final int RUN_MILLIS = 60;
    private static final int KEYS = 2;

    /** How many jobs of a kind can begin during the kills, one after the other. */
    private static final int ROUNDS = Sizes.of(30, 600);

    /** How many more follow after the last kill and are held at a gate, so that all places are taken at the same time. */
    private static final int MORE_ROUNDS = Sizes.of(10, 20);

    private static final int IN_ORDER = ROUNDS + MORE_ROUNDS;
    private static final int LIMITED = IN_ORDER * GroupedJobs.AT_ONCE;
    private static final int SCARCE = IN_ORDER * PLACES;

    @Test
    void neverTooManyJobsRunAndNoPlaceIsLost() {
        GroupedJobs.prepare(database);
        client.queues().limit("scarce", QueueLimit.maxRunning(PLACES));
        NodeKiller killer = new NodeKiller(
                database, getClass(), id -> Sizes.full() ? launchWithDefaults(id, APP) : launch(id, APP));
        killer.start(NODES);
        killer.killOnly(this::holdsAJob);

        if (Sizes.full()) {
            enqueue(1, ROUNDS, Probe::watched);
            killer.kill(KILLING, KILLS, BETWEEN_KILLS, node -> {});
        } else {
            for (int kill = 0; kill < KILLS; kill++) {
                enqueue(kill * ROUNDS / KILLS + 1, (kill + 1) * ROUNDS / KILLS, Probe::watched);
                killer.killOne(this::loses, true);
            }
        }
        enqueue(ROUNDS + 1, IN_ORDER, job -> Probe.heldAt(job, GATE));

        awaitAllPlacesAreUsedAgain();
        witness.open(GATE);
        awaitAllEnded(Duration.ofMinutes(4));

        assertThat(runsOf("queue = 'scarce'").mostAtATime()).isLessThanOrEqualTo(PLACES);
        assertThat(database.number(
                        "SELECT count(*) FROM muster_job_history WHERE queue = 'scarce' AND status = 'completed'"))
                .isEqualTo(SCARCE);
        assertThat(effects()).isEqualTo((long) KEYS * (LIMITED + IN_ORDER));
        for (int key = 0; key < KEYS; key++) {
            assertThat(runsOf(limited(key)).mostAtATime()).isLessThanOrEqualTo(GroupedJobs.AT_ONCE);
            assertThat(numbers("limited-" + key, "grouped_effects.number")).isEqualTo(upTo(LIMITED));
            assertThat(runsOf(ordered(key)).mostAtATime()).isOne();
            assertThat(numbers("ordered-" + key, "id"))
                    .as("in the order in which they were enqueued")
                    .isEqualTo(upTo(IN_ORDER));
        }
    }

    /** Unless there is nothing left to hold. */
    private boolean holdsAJob(String node) {
        return database.number("SELECT count(*) FROM muster_jobs WHERE node_id = '" + node + "' AND token IS NOT NULL")
                        > 0
                || database.number("SELECT count(*) FROM muster_jobs") == 0;
    }

    private void enqueue(int from, int to, UnaryOperator<JobRequest> seen) {
        jobs().enqueueAll(IntStream.rangeClosed(from, to)
                .mapToObj(KilledPlacesIT::round)
                .flatMap(List::stream)
                .map(seen)
                .toList());
    }

    /** As many jobs of each kind as can run at a time. */
    private static List<JobRequest> round(int number) {
        List<JobRequest> requests = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            requests.add(grouped("in_order", "ordered-" + key, number));
            for (int i = 1; i <= GroupedJobs.AT_ONCE; i++) {
                requests.add(grouped("limited", "limited-" + key, (number - 1) * GroupedJobs.AT_ONCE + i));
            }
        }
        for (int i = 0; i < PLACES; i++) {
            requests.add(JobRequest.of("sleep", new Sleep(RUN_MILLIS))
                    .queue("scarce")
                    .maxCrashes(100));
        }
        return requests;
    }

    private static JobRequest grouped(String name, String key, int number) {
        return JobRequest.of(name, new Lined(key, number));
    }

    private void awaitAllPlacesAreUsedAgain() {
        long recovery = millisUntil("queue = 'scarce'", PLACES);
        for (int key = 0; key < KEYS; key++) {
            recovery = Math.max(recovery, millisUntil(limited(key), GroupedJobs.AT_ONCE));
            recovery = Math.max(recovery, millisUntil(ordered(key), 1));
        }
        Measured.within(RECOVERED_WITHIN, Duration.ofMillis(recovery), "until all places were used again after a kill");
    }

    private long millisUntil(String jobs, int atATime) {
        return await("all places of " + jobs + " are used again")
                .atMost(SOON)
                .until(() -> runsOf(jobs).millisUntil(atATime), OptionalLong::isPresent)
                .getAsLong();
    }

    private static String limited(int key) {
        return "concurrency_group = 'key/limited/limited-" + key + "'";
    }

    private static String ordered(int key) {
        return "concurrency_group = 'order/in_order/ordered-" + key + "'";
    }

    private WitnessedRuns runsOf(String jobs) {
        return new WitnessedRuns(database, jobs);
    }

    private long effects() {
        return database.number("SELECT count(*) FROM grouped_effects");
    }

    private List<String> numbers(String key, String order) {
        return database.column("SELECT number::text FROM grouped_effects WHERE key = '" + key + "' ORDER BY " + order);
    }

    private static List<String> upTo(int last) {
        return IntStream.rangeClosed(1, last).mapToObj(String::valueOf).toList();
    }
}
