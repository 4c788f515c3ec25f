package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.chaos.LinedJobs.Lined;
import dev.muster.job.JobRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Lines whose nodes are killed at any point: also between an outcome and the admission that follows it. */
@Order(1)
class KilledLinesIT extends ChaosIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Map<String, String> APP = Map.of("app", LinedJobs.class.getName());
    private static final int NODES = 5;
    private static final int KILLS = 8;
    private static final int KEYS = 4;
    private static final int JOBS = 100;

    private final List<NodeProcess> nodes = new ArrayList<>();
    private int started;

    private void another() {
        nodes.add(launch("n" + started++, APP));
    }

    private long effects() {
        return database.number("SELECT count(*) FROM lined_effects");
    }

    @Test
    void neverTooManyOfAKeyRunAndNoneIsLeftOver() {
        LinedJobs.prepare(database);
        for (int i = 0; i < NODES; i++) {
            another();
        }
        nodes.forEach(NodeProcess::awaitReady);
        for (int i = 1; i <= JOBS; i++) {
            List<JobRequest> requests = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                requests.add(JobRequest.of("limited", new Lined("limited-" + key, i)));
                requests.add(JobRequest.of("in_order", new Lined("ordered-" + key, i)));
            }
            jobs().enqueueAll(requests);
        }

        Random random = new Random();
        long all = 2L * KEYS * JOBS;
        for (int kill = 1; kill <= KILLS; kill++) {
            long reached = kill * all / (KILLS + 1);
            await("effect " + reached)
                    .atMost(LONG)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> effects() >= reached);
            nodes.remove(random.nextInt(nodes.size())).kill9();
            another();
        }

        await("every job").atMost(LONG).until(() -> database.number("SELECT count(*) FROM muster_jobs") == 0);
        assertThat(database.column("SELECT key || ' ' || number FROM one_too_many"))
                .isEmpty();
        assertThat(effects()).isEqualTo(all);
        List<String> numbers =
                IntStream.rangeClosed(1, JOBS).mapToObj(String::valueOf).toList();
        for (int key = 0; key < KEYS; key++) {
            assertThat(database.column("SELECT number::text FROM lined_effects WHERE key = 'limited-" + key
                            + "' ORDER BY lined_effects.number"))
                    .isEqualTo(numbers);
            assertThat(database.column(
                            "SELECT number::text FROM lined_effects WHERE key = 'ordered-" + key + "' ORDER BY id"))
                    .as("in the order in which they were enqueued")
                    .isEqualTo(numbers);
        }
    }
}
