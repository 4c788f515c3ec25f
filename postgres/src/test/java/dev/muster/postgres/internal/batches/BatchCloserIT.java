package dev.muster.postgres.internal.batches;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.batch.BatchStore.NewBatch;
import dev.muster.job.BatchId;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A batch whose jobs cannot be counted in the time that a statement has. */
class BatchCloserIT extends OnFreshDatabase {
    private BatchStore batches;
    private BatchCloser closer;
    private long nanos;

    /** Statements have half a second, those that are known to be long have five minutes. */
    @BeforeEach
    void prepare() {
        batches = database.store().port(BatchStore.class);
        SqlFiles impatient = new SqlFiles("public", sql -> sql.replace("'30s'", "'500ms'"));
        closer = new BatchCloser(new Database(database.dataSource(), impatient), () -> nanos);
    }

    private BatchId sealed() {
        BatchId id = BatchId.next();
        batches.create(new NewBatch(id, "import", "all", null, JobDraft.plain("report"), null));
        batches.seal(id);
        return id;
    }

    /** From now on the jobs of this batch take a second to count. */
    private void takesLong(BatchId id) {
        database.execute("ALTER FUNCTION muster_close_batch(uuid) RENAME TO muster_close_batch_at_once");
        database.execute("CREATE FUNCTION muster_close_batch(batch uuid, OUT closed boolean, OUT lane_queue text,"
                + " OUT lane_capability text) LANGUAGE plpgsql AS $$ BEGIN"
                + " IF batch = '" + id + "' THEN PERFORM pg_sleep(1); END IF;"
                + " SELECT c.closed, c.lane_queue, c.lane_capability INTO closed, lane_queue, lane_capability"
                + " FROM muster_close_batch_at_once(batch) c; END $$");
    }

    @Test
    void itKeepsNoYoungerOneFromClosingAndGetsMoreTimeLater() {
        BatchId large = sealed();
        BatchId younger = sealed();
        takesLong(large);

        Closing first = closer.closeDue(true);

        assertThat(first.closed()).containsExactly(younger);
        assertThat(first.again()).contains(Duration.ofMinutes(1));
        assertThat(closer.left()).isTrue();

        BatchId youngest = sealed();
        nanos += Duration.ofSeconds(59).toNanos();
        assertThat(closer.closeDue(true).closed())
                .as("not tried again before it is time")
                .containsExactly(youngest);

        nanos += Duration.ofSeconds(2).toNanos();
        assertThat(closer.closeDue(true).closed()).containsExactly(large);
        assertThat(closer.left()).isFalse();
    }
}
