package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.engine.EngineIT;
import dev.muster.job.Backoff;
import dev.muster.job.FailedAttempt;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobListener;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Nodes with a coordinator of the application's own that does not work. */
class ForeignCoordinatorIT extends EngineIT {

    static final class Handlers {
        @Job(value = "second_time", backoff = @Backoff(delay = "1ms", jitter = 0))
        void secondTime(JobContext ctx) {
            if (ctx.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        }

        @Job("after")
        void after() {}
    }

    /** Remembers what was told of failed attempts. */
    private static final class Failures implements JobListener {
        final List<JobId> told = new CopyOnWriteArrayList<>();

        @Override
        public void attemptFailed(FailedAttempt event) {
            told.add(event.id());
        }
    }

    private abstract static class Coordinator implements ClusterCoordinator {
        abstract void send();

        @Override
        public void notifyNewWork(Set<Lane> lanes) {
            send();
        }

        @Override
        public void notifyNewWorkLater(Lane lane, Duration delay) {
            send();
        }

        @Override
        public void notifyChange(Topic topic) {
            send();
        }

        @Override
        public void registerWakeupListener(Runnable listener) {}

        @Override
        public boolean isListening() {
            return false;
        }
    }

    @Test
    void aCoordinatorThatThrowsCostsNothingButTheWakeUp() throws Exception {
        Failures failures = new Failures();
        // The sweep finds what was left out; it comes every 30 s.
        Muster node = start(builder(Map.of("worker.sweep_interval", "30s"), new Handlers())
                .listener(failures)
                .coordinator(new Coordinator() {
                    @Override
                    void send() {
                        throw new IllegalStateException("no route to the cache");
                    }
                }));

        JobId first = node.jobs().enqueue(JobRequest.of("second_time"));
        JobId after = node.jobs().enqueue(JobRequest.of("after").dependsOn(first));

        assertThat(ended(node, after).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(ended(node, first).attempt()).isEqualTo(2);
        await().untilAsserted(() -> assertThat(failures.told).containsExactly(first));
        assertThat(database.number("SELECT count(*) FROM muster_job_history")).isEqualTo(2);
    }

    /** A coordinator must not block, but if one does, only wake-ups wait for it. */
    @Test
    void whatAnOutcomeLeadsToComesBeforeTheWakeUps() throws Exception {
        Failures failures = new Failures();
        CountDownLatch mayGoOn = new CountDownLatch(1);
        Thread test = Thread.currentThread();
        Muster node = start(builder(Map.of(), new Handlers()).listener(failures).coordinator(new Coordinator() {
            @Override
            void send() {
                boolean interrupted = false;
                while (Thread.currentThread() != test && mayGoOn.getCount() > 0) {
                    try {
                        mayGoOn.await();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }));
        try {
            JobId id = node.jobs().enqueue(JobRequest.of("second_time"));
            await().untilAsserted(() -> assertThat(failures.told).containsExactly(id));
            mayGoOn.countDown();
            assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
        } finally {
            mayGoOn.countDown();
        }
    }
}
