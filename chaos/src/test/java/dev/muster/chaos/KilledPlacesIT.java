package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobRequest;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A limited queue, five nodes, and {@code kill -9} again and again. */
class KilledPlacesIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(KilledPlacesIT.class);

    /** -Dmuster.chaos.kill_seconds=60 is what is promised. */
    private static final Duration KILLING = Duration.ofSeconds(Integer.getInteger("muster.chaos.kill_seconds", 20));

    private static final int NODES = 5;
    private static final int PLACES = 3;
    private static final int RUN_MILLIS = 60;

    private final List<String> ids = new ArrayList<>();
    private final List<NodeProcess> nodes = new ArrayList<>();
    private int started;

    private void startAnother() {
        String id = "n" + started++;
        nodes.add(launch(id, Map.of()));
        ids.add(id);
    }

    @Test
    void neverMoreJobsRunThanTheLimitAndNoPlaceIsLost() {
        database.execute("CREATE TABLE killed (node text PRIMARY KEY, at timestamptz)");
        client.queues().limit("scarce", QueueLimit.maxRunning(PLACES));
        for (int i = 0; i < NODES; i++) {
            startAnother();
        }
        nodes.forEach(NodeProcess::awaitReady);
        int enough = (int) (KILLING.toMillis() * PLACES / RUN_MILLIS);
        jobs().enqueueAll(IntStream.range(0, enough)
                .mapToObj(i -> Probe.watched(JobRequest.of("sleep", new Sleep(RUN_MILLIS)))
                        .queue("scarce"))
                .toList());
        int kills = killOneAfterTheOther();
        await("all places are used again")
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> scarce().claimed() + scarce().running() == PLACES || scarce().pending() == 0);
        await("all jobs have ended").atMost(Duration.ofMinutes(3)).until(() -> ended() == enough);
        log.info("{} kills, {} jobs, at most {} at a time", kills, enough, mostAtATime());

        assertThat(mostAtATime()).isEqualTo(PLACES);
        assertThat(database.number("SELECT count(DISTINCT job) FROM witness_effects WHERE step = 'returned'"))
                .isEqualTo(enough);
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE status = 'completed'"))
                .isEqualTo(enough);
    }

    private int killOneAfterTheOther() {
        Random random = new Random();
        long end = System.nanoTime() + KILLING.toNanos();
        int kills = 0;
        while (System.nanoTime() - end < 0) {
            int victim = random.nextInt(nodes.size());
            NodeProcess process = nodes.remove(victim).awaitReady();
            String id = ids.remove(victim);
            process.kill9();
            kills++;
            database.execute("INSERT INTO killed VALUES ('" + id + "', clock_timestamp())");
            startAnother();
            nodes.get(nodes.size() - 1).awaitReady();
        }
        return kills;
    }

    private QueueInfo scarce() {
        return client.queues().list().stream()
                .filter(queue -> queue.name().equals("scarce"))
                .findFirst()
                .orElseThrow();
    }

    private long ended() {
        return database.number("SELECT count(*) FROM muster_job_history");
    }

    /** A run lasts from its entry to its return, or until its node was killed. */
    private long mostAtATime() {
        return database.number("WITH run AS (SELECT e.at AS entered, coalesce((SELECT min(r.at) FROM witness_effects r"
                + " WHERE r.job = e.job AND r.token = e.token AND r.step <> 'entered'), k.at) AS over"
                + " FROM witness_effects e LEFT JOIN killed k ON k.node = e.node WHERE e.step = 'entered')"
                + " SELECT max(n) FROM (SELECT (SELECT count(*) FROM run o WHERE o.entered <= r.entered"
                + " AND (o.over IS NULL OR o.over > r.entered)) AS n FROM run r) counted");
    }
}
