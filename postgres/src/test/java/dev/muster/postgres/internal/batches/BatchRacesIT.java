package dev.muster.postgres.internal.batches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.batch.BatchStore.NewBatch;
import dev.muster.job.BatchId;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A job is added to a batch while the batch is being closed, held in the moment that decides. */
class BatchRacesIT {
    @Test
    void aJobThatIsCommittedWhileSomebodyWaitsToCloseItsBatchKeepsTheBatchOpen() throws Exception {
        try (FreshDatabase database = new FreshDatabase();
                PostgresStore store = database.store()) {
            // However long the commit below takes, the one that closes the batch does not give up.
            database.execute("ALTER FUNCTION muster_close_batch SET lock_timeout = '5min'");
            BatchStore batches = store.port(BatchStore.class);
            BatchId id = BatchId.next();
            batches.create(new NewBatch(id, "import", "all", null, null, null));
            batches.seal(id);
            try (Connection adding = database.transaction()) {
                store.jobs()
                        .enqueue(adding, List.of(JobDraft.named("a").batch(id).job()));
                CompletableFuture<Closing> closing = CompletableFuture.supplyAsync(() -> batches.closeDue(true));
                await().until(() -> closing.isDone() || waits(database));
                adding.commit();
                assertThat(closing.join().closed()).isEmpty();
            }
            assertThat(batches.find(id, true).orElseThrow().status().isClosed()).isFalse();
        }
    }

    private static boolean waits(FreshDatabase database) {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND query LIKE '%muster_close_batch%'")
                == 1;
    }
}
