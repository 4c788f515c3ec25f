package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.testing.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs with many steps, which are all replayed when such a run continues. Prints how long that takes. */
class LongRunIT extends WorkflowCluster {
    private static final Logger log = LoggerFactory.getLogger(LongRunIT.class);
    private static final int STEPS = 1_000;
    private static final int RUNS = Integer.getInteger("muster.long_runs", Sizes.of(1, 2));

    /** A thousand steps, and an event that lets the run replay them. */
    public static final class Counting {
        final AtomicInteger effects = new AtomicInteger();
        final List<Long> replayNanos = new CopyOnWriteArrayList<>();

        @Workflow(name = "counting", version = "v1")
        long count(WorkflowContext wf) {
            int before = effects.get();
            long start = System.nanoTime();
            long sum = 0;
            for (int i = 0; i < STEPS; i++) {
                int number = i;
                Integer result = wf.step("add", Integer.class, step -> {
                    effects.incrementAndGet();
                    return number;
                });
                sum += result == null ? 0 : result;
            }
            if (effects.get() == before) {
                replayNanos.add(System.nanoTime() - start);
            }
            wf.awaitEvent("go", String.class);
            return sum;
        }
    }

    @Test
    void aThousandStepsAreReplayedAndNoneIsRepeated() {
        Counting counting = new Counting();
        cluster.node(counting);
        List<Long> untilEnd = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            JobId run = workflows().start("counting", null);
            awaitStatus(run, RunStatus.WAITING);
            workflows().signal(run, "go", "on");
            RunInfo ended = ended(run);
            assertThat(ended.result()).contains(String.valueOf((long) STEPS * (STEPS - 1) / 2));
            untilEnd.add(database.number("SELECT (extract(epoch FROM r.finished_at - e.sent_at) * 1000)::bigint"
                    + " FROM muster_workflow_runs r JOIN muster_workflow_events e ON e.run_id = r.id WHERE r.id = '"
                    + run
                    + "'"));
        }

        assertThat(counting.effects).hasValue(RUNS * STEPS);
        assertThat(counting.replayNanos).hasSize(RUNS);
        log.info(
                "replay of {} steps: {} ms in the code (median of {}), {} ms from the event to the end of the run",
                STEPS,
                median(counting.replayNanos) / 1e6,
                RUNS,
                median(untilEnd));
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
