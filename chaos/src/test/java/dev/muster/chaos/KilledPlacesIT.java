package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobRequest;
import dev.muster.job.QueueLimit;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A limited queue, five nodes, and {@code kill -9} again and again. */
@Order(1)
class KilledPlacesIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(KilledPlacesIT.class);

    /** -Dmuster.chaos.kill_seconds=60 is what is promised. */
    private static final Duration KILLING = Duration.ofSeconds(Integer.getInteger("muster.chaos.kill_seconds", 20));

    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(2);
    private static final int NODES = 5;
    private static final int PLACES = 3;
    private static final int RUN_MILLIS = 60;

    /** So many can begin during the kills, unless these take longer because nodes start slowly. */
    private static final int DURING_KILLS = (int) (KILLING.toMillis() * PLACES / RUN_MILLIS);

    /** So many are enqueued after the last kill, so that there are some to take the places again. */
    private static final int AFTERWARDS = 100;

    @Test
    void neverMoreJobsRunThanTheLimitAndNoPlaceIsLost() {
        client.queues().limit("scarce", QueueLimit.maxRunning(PLACES));
        NodeKiller killer = new NodeKiller(database, id -> launchAsTold(id, Map.of()));
        killer.start(NODES);
        enqueue(DURING_KILLS);
        WitnessedRuns runs = new WitnessedRuns(database, "queue = 'scarce'");

        int kills = killer.kill(KILLING, (int) KILLING.toSeconds() / 3, BETWEEN_KILLS, node -> {});
        enqueue(AFTERWARDS);
        int enough = DURING_KILLS + AFTERWARDS;

        long recovery = await("all places are used again")
                .atMost(RECOVERY)
                .until(() -> runs.millisUntil(PLACES), OptionalLong::isPresent)
                .getAsLong();
        awaitAllEnded(Duration.ofMinutes(4));
        log.info(
                "{} kills, {} jobs, at most {} at a time, all places used again {} ms after the last kill",
                kills,
                enough,
                runs.mostAtATime(),
                recovery);

        assertThat(runs.mostAtATime()).isEqualTo(PLACES);
        assertThat(database.number("SELECT count(DISTINCT job) FROM witness_effects WHERE step = 'returned'"))
                .isEqualTo(enough);
        assertThat(database.number(
                        "SELECT count(*) FROM muster_job_history WHERE queue = 'scarce' AND status = 'completed'"))
                .isEqualTo(enough);
    }

    private void enqueue(int count) {
        jobs().enqueueAll(IntStream.range(0, count)
                .mapToObj(i -> Probe.watched(JobRequest.of("sleep", new Sleep(RUN_MILLIS)))
                        .queue("scarce"))
                .toList());
    }
}
