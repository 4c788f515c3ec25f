package dev.muster.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.testing.Periods;
import dev.muster.testing.Sizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The rate of a group limits how many of its jobs begin, however many of them have gathered where they wait to be run. */
class ConcurrencyRateIT extends EngineIT {
    private static final JobType<Integer, Void> MAIL = JobType.of("mail", Integer.class, Void.class);
    private static final JobType<Integer, Void> PLAIN = JobType.of("plain", Integer.class, Void.class);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** When jobs have begun, in nanoseconds of this process. */
    private final Queue<Long> begun = new ConcurrentLinkedQueue<>();

    private JobHandler mail(int jobs) {
        return JobHandler.of(MAIL).rate(jobs, SECOND).run((ctx, args) -> begun.add(System.nanoTime()));
    }

    @Test
    void jobsThatHaveWaitedBehindABacklogOfTheirQueueDoNotBeginTogether() throws Exception {
        int rate = 2;
        JobHandler plain = JobHandler.of(PLAIN).run((ctx, args) -> Periods.work(Duration.ofMillis(100)));
        Muster node = node(Map.of("worker.concurrency", "1"), mail(rate), plain);
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < Sizes.of(25, 80); i++) {
            requests.add(JobRequest.of(PLAIN, i));
        }
        node.jobs().enqueueAll(requests);
        List<JobId> ids = enqueue(node, Sizes.of(7, 20));

        for (JobId id : ids) {
            assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(ended(node, id).attempt()).as("waiting is no attempt").isEqualTo(1);
        }

        requireRate(rate, 1);
    }

    @Test
    void jobsThatHaveGatheredInAPausedQueueDoNotBeginTogetherOnSeveralNodes() throws Exception {
        int rate = 5;
        Map<String, String> settings = Map.of("worker.concurrency", "2");
        List<Muster> nodes = List.of(node(settings, mail(rate)), node(settings, mail(rate)));
        Muster node = nodes.get(0);
        node.queues().pause("default");
        List<JobId> ids = enqueue(node, 11);
        await().until(() ->
                node.jobs().list(JobQuery.all().status(JobStatus.PENDING)).size() == ids.size());
        node.queues().resume("default");

        for (JobId id : ids) {
            assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
        }

        requireRate(rate, 4);
    }

    private static List<JobId> enqueue(Muster node, int jobs) {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            requests.add(JobRequest.of(MAIL, i));
        }
        return node.jobs().enqueueAll(requests);
    }

    /** In no second more than a burst and what the rate has in a second, and one more for each thread, which a busy machine may let enter late. */
    private void requireRate(int rate, int threads) {
        List<Long> times = begun.stream().sorted().toList();
        int most = 1 + rate + threads;
        assertThat(times).hasSizeGreaterThan(most);
        for (int i = 0; i + most < times.size(); i++) {
            assertThat(Duration.ofNanos(times.get(i + most) - times.get(i)))
                    .as("the time in which %d jobs have begun: %s", most + 1, times)
                    .isGreaterThan(SECOND);
        }
    }
}
