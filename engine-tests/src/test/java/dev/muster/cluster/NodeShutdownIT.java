package dev.muster.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node that leaves in order takes nothing with it, however little time it gives itself. */
class NodeShutdownIT extends EngineIT {
    private static final int JOBS = 50;

    /** Leases and times as a user gets them, and no time at all for jobs that run. */
    private static final Map<String, String> AT_ONCE = Map.of(
            "worker.lease", "30s",
            "worker.renew", "10s",
            "worker.concurrency", "60",
            "worker.drain_timeout", "0s");

    private final Endless endless = new Endless();

    /** Handlers that ignore that they are interrupted. */
    static final class Endless {
        final CountDownLatch finish = new CountDownLatch(1);
        final AtomicInteger payments = new AtomicInteger();

        @Job("endless")
        void endless() {
            awaitFinish();
        }

        @Job(value = "payment", maxAttempts = 1)
        void payment() {
            payments.incrementAndGet();
            awaitFinish();
        }

        private void awaitFinish() {
            while (finish.getCount() > 0) {
                try {
                    finish.await();
                } catch (InterruptedException e) {
                    // Goes on.
                    continue;
                }
            }
        }
    }

    @AfterEach
    void letThemEnd() {
        endless.finish.countDown();
    }

    @Test
    void nothingIsLeftOfTheClaimsOfANodeThatHasEndedItsJobs() throws Exception {
        Muster node = node(Map.of("worker.drain_timeout", "60s"), endless);
        node.jobs().enqueue("endless", null);
        await().until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE status = 'running'") == 1);
        Thread closing = new Thread(node::close);
        closing.start();
        await().until(() -> database.column("SELECT status FROM muster_nodes").equals(List.of("draining")));

        endless.finish.countDown();
        closing.join();

        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE status = 'completed'"))
                .isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM muster_claims")).isZero();
    }

    @Test
    void runningJobsGoBackUnchargedAndWhatMayRunOnlyOnceEnds() throws Exception {
        Muster node = node(AT_ONCE, endless);
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            ids.add(node.jobs().enqueue("endless", null));
        }
        JobId payment = node.jobs().enqueue("payment", null);
        await().until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE status = 'running'") == JOBS + 1);

        node.close();

        assertThat(database.column("SELECT DISTINCT status || ' ' || crashes || ' ' || attempt FROM muster_jobs"))
                .containsExactly("pending 0 0");
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(ids.size());
        assertThat(database.column("SELECT id FROM muster_nodes")).isEmpty();
        Muster next = node(Map.of(), endless);
        JobInfo ended = ended(next, payment);
        assertThat(ended.status()).isEqualTo(JobStatus.FAILED);
        assertThat(ended.error())
                .hasValueSatisfying(error ->
                        assertThat(error).contains("stopped while it ran").contains("only once"));
        assertThat(endless.payments).hasValue(1);
    }

    /** As long as the node has its row no job can be handed back: only leaving itself can. */
    @Test
    void whatCouldNotBeWrittenGoesBackWithTheRow() {
        Muster node = node(AT_ONCE, endless);
        for (int i = 0; i < JOBS; i++) {
            node.jobs().enqueue("endless", null);
        }
        await().until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE status = 'running'") == JOBS);
        database.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " IF NEW.status = 'pending' AND EXISTS (SELECT FROM muster_nodes) THEN RAISE 'not now'; END IF;"
                + " RETURN NEW; END $$");
        database.execute("CREATE TRIGGER refuse BEFORE UPDATE ON muster_jobs FOR EACH ROW EXECUTE FUNCTION refuse()");

        node.close();

        assertThat(database.column("SELECT DISTINCT status || ' ' || crashes || ' ' || attempt FROM muster_jobs"))
                .containsExactly("pending 0 0");
    }
}
