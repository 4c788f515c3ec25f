package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchRequest;
import dev.muster.batch.BatchStatus;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.testing.LongTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code kill -9} between the end of the last job of a batch and the closing of the batch. */
@LongTest(
        twin = KilledWorkIT.class,
        test = "eachPieceOfItContinuesElsewhereAndOnlyWhatWasOnRecordIsCharged",
        why = "a hundred thousand jobs, and a batch whose row is locked while two nodes end them")
class KilledBatchIT extends ChaosIT {
    private static final int JOBS = 100_000;
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final String ENDED = "SELECT count(*) FROM muster_job_history WHERE name = 'my_task'";

    /** The batch's row is locked while its jobs run, so that the node that ends the last one cannot close it before it dies. */
    @Test
    void aBatchWhoseLastNodeIsKilledClosesOnceAndItsCompletionJobRunsOnce() throws SQLException {
        BatchId id = client.batches()
                .fanOut(
                        BatchRequest.of("large")
                                .onComplete(Probe.watched(JobRequest.of("my_task", new MyTask("summary")))),
                        Collections.nCopies(JOBS, JobRequest.of("my_task", new MyTask("one of many"))));
        JobId completion = batch(id).completionJob().orElseThrow();
        List<NodeProcess> nodes;
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT FROM muster_batches FOR SHARE");
            nodes = List.of(node("a"), node("b"));
            await().atMost(LONG).until(() -> database.number(ENDED) == JOBS);
            nodes.forEach(NodeProcess::kill9);
            connection.rollback();
        }
        assertThat(batch(id).status()).isEqualTo(BatchStatus.SEALED);

        startHere("c");
        loses("a", "b");

        BatchInfo closed = client.batches().await(id, SOON);
        assertThat(closed.status()).isEqualTo(BatchStatus.SUCCEEDED);
        assertThat(closed.counts()).contains(new BatchCounts(0, JOBS, 0, 0, 0));
        assertThat(ended(completion).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(entries(completion)).isEqualTo(1);
        assertThat(database.number(ENDED)).isEqualTo(JOBS + 1L);
    }

    private BatchInfo batch(BatchId id) {
        return client.batches().find(id).orElseThrow();
    }
}
