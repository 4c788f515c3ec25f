package dev.muster.internal.maintenance;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A cluster that always has more normal jobs than it can run, and jobs of a lower priority beside them. */
class PriorityAgingIT extends EngineIT {
    /** The node takes no more jobs than it runs, so that normal jobs are left over for every claim. */
    private static final Map<String, String> FEW_AT_A_TIME = Map.of("worker.concurrency", "2", "worker.prefetch", "0");

    private static final int NORMAL_JOBS = 50;

    private static final int BACKGROUND_JOBS = 20;

    /** Long enough for three searches: one that takes two seconds on a busy machine is followed by a pause of forty. */
    private static final Duration SEARCHES = Duration.ofMinutes(2);

    private final Handlers handlers = new Handlers();

    static final class Handlers {
        final AtomicInteger normal = new AtomicInteger();
        final AtomicInteger background = new AtomicInteger();

        @Job("endless")
        void endless(JobContext ctx) {
            ctx.jobs().enqueue(JobRequest.of("endless"));
            normal.incrementAndGet();
        }

        @Job(value = "tidy_up", priority = Priority.BACKGROUND)
        void tidyUp() {
            background.incrementAndGet();
        }
    }

    private Muster busyNode(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(FEW_AT_A_TIME);
        all.putAll(settings);
        Muster node = node(all, handlers);
        node.jobs().enqueueAll(Collections.nCopies(NORMAL_JOBS, JobRequest.of("endless")));
        await().until(() -> handlers.normal.get() > NORMAL_JOBS);
        return node;
    }

    private static List<JobId> enqueueBackground(Muster node) {
        return node.jobs().enqueueAll(Collections.nCopies(BACKGROUND_JOBS, JobRequest.of("tidy_up")));
    }

    @Test
    void jobsOfALowPriorityRunBesideAFullLoad() throws InterruptedException {
        Muster node = busyNode(Map.of("worker.age_after", "1s"));

        List<JobId> jobs = enqueueBackground(node);

        for (JobId id : jobs) {
            assertThat(node.jobs().await(id, SEARCHES).status()).isEqualTo(JobStatus.COMPLETED);
        }
        assertThat(handlers.background).hasValue(BACKGROUND_JOBS);
        int before = handlers.normal.get();
        await().until(() -> handlers.normal.get() > before + NORMAL_JOBS);
    }

    @Test
    void withoutTheSettingTheyWait() {
        Muster node = busyNode(Map.of());

        enqueueBackground(node);

        nothingHappensFor(
                Duration.ofSeconds(2), () -> assertThat(handlers.background).hasValue(0));
        assertThat(node.jobs().list(JobQuery.all().name("tidy_up")))
                .hasSize(BACKGROUND_JOBS)
                .allMatch(job -> job.liftedTo().isEmpty());
    }
}
