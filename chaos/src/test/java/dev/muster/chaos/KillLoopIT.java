package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.Sleep;
import dev.muster.internal.runtime.Loop;
import dev.muster.job.JobRequest;
import dev.muster.testing.LongTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster in which no node lives for long, with the settings that a user gets. */
@LongTest(
        twin = KilledPlacesIT.class,
        test = "neverTooManyJobsRunAndNoPlaceIsLost",
        why = "two minutes of kills with the settings that a user gets, and how soon jobs run elsewhere")
class KillLoopIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(KillLoopIT.class);

    private static final Duration KILLING = Duration.ofSeconds(120);

    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(5);
    private static final int NODES = 4;

    /** None comes back under its id; another one starts instead. */
    @Test
    void theJobsOfNodesThatDieOneAfterTheOtherRunElsewhereInTime() {
        NodeKiller killer = new NodeKiller(database, getClass(), id -> launchWithDefaults(id, Map.of()));
        killer.start(NODES);
        database.execute("CREATE TABLE victims (job uuid, node text, killed_at timestamptz, PRIMARY KEY (job, node))");
        Loop load = new Loop("load", () -> {
            jobs().enqueue(Probe.watched(JobRequest.of("sleep", new Sleep(1_500))));
            return Duration.ofMillis(150);
        });
        int kills;
        load.start();
        try {
            await("up for the dead threshold")
                    .atMost(SOON)
                    .until(() -> database.number("SELECT count(*) FROM muster_nodes WHERE in_touch_since <"
                                    + " clock_timestamp() - interval '15 s'")
                            > 0);
            kills = killer.kill(KILLING, 1, BETWEEN_KILLS, this::rememberItsJobs);
        } finally {
            load.stop();
        }
        await("all run elsewhere").atMost(Duration.ofSeconds(90)).until(() -> times().size() == victims());
        List<Long> times = times();
        long median = times.get(times.size() / 2);
        long longest = times.get(times.size() - 1);
        log.info(
                "{} kills, {} jobs: p50 {} ms, p95 {} ms, max {} ms until they ran elsewhere",
                kills,
                times.size(),
                median,
                times.get(times.size() * 95 / 100),
                longest);

        assertThat(times).hasSizeGreaterThan(5);
        assertThat(median).isLessThanOrEqualTo(17_000);
        assertThat(longest).isLessThanOrEqualTo(25_000);
    }

    private void rememberItsJobs(String node) {
        database.execute("INSERT INTO victims SELECT id, node_id, clock_timestamp() FROM muster_jobs WHERE node_id = '"
                + node + "'");
    }

    private long victims() {
        return database.number("SELECT count(*) FROM victims");
    }

    /**
     * How long each took to be entered by another node, in milliseconds, the shortest first. One that was held by another
     * node when that was killed had been taken over by then.
     */
    private List<Long> times() {
        String entered = "FROM witness_effects e WHERE e.job = v.job AND e.node <> v.node AND e.at > v.killed_at"
                + " AND e.step = 'entered'";
        return database
                .column("SELECT (extract(epoch FROM least((SELECT min(e.at) " + entered + "), (SELECT min(o.killed_at)"
                        + " FROM victims o WHERE o.job = v.job AND o.node <> v.node AND o.killed_at > v.killed_at))"
                        + " - v.killed_at) * 1000)::bigint FROM victims v WHERE EXISTS (SELECT " + entered
                        + ") ORDER BY 1")
                .stream()
                .map(Long::valueOf)
                .toList();
    }
}
