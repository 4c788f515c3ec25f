package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.chaos.GroupedJobs.Lined;
import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.Priority;
import dev.muster.job.QueueLimit;
import dev.muster.testing.LongTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ten limited queues, a thousand keys and a backlog without limits want more threads than there are, on three nodes with the settings that a
 * user gets, while nodes are killed and frozen.
 */
@LongTest(
        twin = KilledPlacesIT.class,
        test = "neverTooManyJobsRunAndNoPlaceIsLost",
        why = "many limits beside a backlog, frozen nodes, five minutes, default settings")
class CrowdedLimitsIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(CrowdedLimitsIT.class);
    private static final int NODES = 3;
    private static final Duration DISTURBED = Duration.ofSeconds(Integer.getInteger("muster.test.seconds", 300));
    private static final Duration BETWEEN = Duration.ofSeconds(4);
    private static final Duration SHORTEST_FREEZE = Duration.ofSeconds(3);
    private static final Duration LONGEST_FREEZE = Duration.ofSeconds(22);

    private static final int QUEUES = 10;
    private static final int PLACES = 4;
    private static final int KEYS = 1_000;
    private static final int JOBS_PER_KEY = 20;
    private static final int RUN_MILLIS = 400;

    /** More than three nodes can run in that time, so that every queue always has jobs. */
    private static final int BACKLOG = (int) DISTURBED.toSeconds() * NODES * 16 * 1_000 / RUN_MILLIS;

    private static final int BACKLOG_OF_QUEUE = BACKLOG / 8;

    private static final Map<String, String> APP = Map.of("app", GroupedJobs.class.getName());

    @Test
    void noLimitIsExceededNoPlaceIsLostAndAllGetTheirShare() {
        GroupedJobs.prepare(database);
        queues().forEach(queue -> client.queues().limit(queue, QueueLimit.maxRunning(PLACES)));
        NodeKiller killer = new NodeKiller(database, getClass(), id -> launchWithDefaults(id, APP));
        killer.start(NODES);
        enqueueBacklogs();

        killer.disturb(DISTURBED, SHORTEST_FREEZE, LONGEST_FREEZE, BETWEEN);

        requireShares();
        cancelTheRest();
        awaitAllEnded(Duration.ofMinutes(10));

        assertThat(mostAtATime("queue LIKE 'scarce-%'", "queue")).isLessThanOrEqualTo(PLACES);
        assertThat(mostAtATime("name = 'limited'", "concurrency_group")).isLessThanOrEqualTo(GroupedJobs.AT_ONCE);
        assertThat(mostAtATime("name = 'in_order'", "concurrency_group")).isOne();
        assertThat(effects()).as("each job of a key left one effect").isEqualTo((long) KEYS * JOBS_PER_KEY);
        assertThat(database.number(
                        "SELECT count(*) FROM (SELECT number < lag(number) OVER (PARTITION BY key ORDER BY id)"
                                + " AS early FROM grouped_effects WHERE key LIKE 'ordered-%') e WHERE early"))
                .as("jobs that overtook one of their key")
                .isZero();
        queues().forEach(this::allPlacesCanBeUsed);
        IntStream.range(0, 10).forEach(this::allPlacesOfKeyCanBeUsed);
    }

    /**
     * Limited queues take turns with each other, and get every second claim's half: between a quarter and a half of all jobs. No share is less
     * than half of that.
     */
    private void requireShares() {
        LongSummaryStatistics limited =
                queues().stream().mapToLong(this::completed).summaryStatistics();
        long others = completed("default") + effects();
        log.info(
                "completed: {} of each limited queue, {} others; {} kills, {} freezes",
                limited,
                others,
                database.number("SELECT count(*) FROM killed_nodes"),
                database.number("SELECT count(*) FROM frozen_nodes"));
        assertThat(limited.getMax()).as("the luckiest limited queue").isLessThanOrEqualTo(2 * limited.getMin());
        assertThat(limited.getSum()).as("all limited queues").isGreaterThanOrEqualTo((limited.getSum() + others) / 8);
        assertThat(others).as("jobs without a limited queue").isGreaterThanOrEqualTo((limited.getSum() + others) / 4);
    }

    private static List<String> queues() {
        return IntStream.range(0, QUEUES).mapToObj(i -> "scarce-" + i).toList();
    }

    private void enqueueBacklogs() {
        for (int number = 1; number <= JOBS_PER_KEY; number++) {
            List<JobRequest> requests = new ArrayList<>();
            for (int key = 0; key < KEYS / 2; key++) {
                requests.add(ofKey("in_order", "ordered-" + key, number));
                requests.add(ofKey("limited", "limited-" + key, number));
            }
            jobs().enqueueAll(requests);
        }
        queues().forEach(queue -> jobs().enqueueAll(sleepers(queue, BACKLOG_OF_QUEUE, Probe::watched)));
        // Behind those of the keys, whose jobs enter the queue when they are admitted.
        jobs().enqueueAll(sleepers("default", BACKLOG, job -> job.priority(Priority.LOW)));
    }

    private static JobRequest ofKey(String name, String key, int number) {
        return Probe.watched(JobRequest.of(name, new Lined(key, number)));
    }

    private static List<JobRequest> sleepers(String queue, int count, UnaryOperator<JobRequest> seen) {
        return IntStream.range(0, count)
                .mapToObj(i -> seen.apply(JobRequest.of("sleep", new Sleep(RUN_MILLIS))
                        .queue(queue)
                        .maxCrashes(100)))
                .toList();
    }

    /** Of the queues. The keys' jobs run to their end. */
    private void cancelTheRest() {
        jobs().cancelAll(JobQuery.all().name("sleep"));
    }

    private void allPlacesCanBeUsed(String queue) {
        String gate = "places of " + queue;
        allAreEntered(sleepers(queue, PLACES, job -> Probe.heldAt(job, gate)), gate);
    }

    private void allPlacesOfKeyCanBeUsed(int key) {
        String gate = "places of key " + key;
        allAreEntered(
                IntStream.rangeClosed(1, GroupedJobs.AT_ONCE)
                        .mapToObj(i -> Probe.heldAt(
                                JobRequest.of("limited", new Lined("limited-" + key, JOBS_PER_KEY + i)), gate))
                        .toList(),
                gate);
    }

    private void allAreEntered(List<JobRequest> jobs, String gate) {
        String ids = "('"
                + String.join(
                        "','",
                        jobs().enqueueAll(jobs).stream().map(Object::toString).toList()) + "')";
        await(gate)
                .atMost(SOON)
                .until(() -> database.number("SELECT count(DISTINCT job) FROM witness_effects WHERE step = 'entered'"
                                + " AND job::text IN " + ids)
                        == jobs.size());
        witness.open(gate);
        awaitAllEnded(SOON);
    }

    private long completed(String queue) {
        return database.number("SELECT count(*) FROM muster_job_history WHERE queue = '" + queue
                + "' AND name = 'sleep' AND status = 'completed'");
    }

    private long effects() {
        return database.number("SELECT count(*) FROM grouped_effects");
    }

    /** The most at a time of those that have the same of this. */
    private long mostAtATime(String jobs, String each) {
        return new WitnessedRuns(database, jobs, each).mostAtATime();
    }
}
