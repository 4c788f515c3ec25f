package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * After an outage nodes come back one after the other: the first must not take the others for dead. In real time: the lease of the last one
 * is as short as a busy machine allows, and its own clock tells it that it has ended.
 */
class ReconnectIT extends ChaosIT {
    private TcpProxy toA;
    private TcpProxy toB;

    @BeforeEach
    void openProxies() {
        toA = new TcpProxy(serverPort());
        toB = new TcpProxy(serverPort());
    }

    @AfterEach
    void closeProxies() {
        toA.close();
        toB.close();
    }

    @Test
    void theLastNodeBackKeepsWhatItFinishedMeanwhile() {
        JobId id = jobs().enqueue(Probe.held(task(), "a"));
        startHere("a", Map.of("database.url", toA.url(database.url()), "worker.lease", "10s"));
        awaitStatus(id, JobStatus.RUNNING);
        startHere("b", Map.of("database.url", toB.url(database.url())));

        lose(toA);
        lose(toB);
        awaitStep(id, "a", "interrupted");
        witness.open(Probe.gateOf(id));
        awaitStep(id, "a", "returned");
        awaitLeaseLongGone(id);
        toB.admit();
        JobId next = jobs().enqueue(task());
        assertThat(ended(next).node()).hasValue("b");
        toA.admit();

        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).as("attempt").isEqualTo(1);
        assertThat(job.crashes()).as("crashes").isZero();
    }

    private static void lose(TcpProxy proxy) {
        proxy.refuse();
        proxy.cut();
    }

    private void awaitLeaseLongGone(JobId id) {
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + id
                                + "' AND lease_until < muster_clock() - interval '2 seconds'")
                        == 1);
    }

    private static JobRequest task() {
        return Probe.watched(JobRequest.of("my_task", new MyTask("k")));
    }
}
