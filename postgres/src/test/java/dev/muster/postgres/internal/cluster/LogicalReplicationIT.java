package dev.muster.postgres.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.postgres.internal.FreshDatabase;
import org.junit.jupiter.api.Test;

/** A database whose tables are all replicated logically. */
class LogicalReplicationIT {

    @Test
    void aJobThatEndedCanBeRetried() {
        try (FreshDatabase database = new FreshDatabase()) {
            database.execute("CREATE PUBLICATION everything FOR ALL TABLES");
            JobId id = JobId.next();
            database.execute("INSERT INTO muster_job_history (id, finished_at, run_at, created_at, priority, attempt,"
                    + " crashes, status, name, queue, capability, args) VALUES ('" + id
                    + "', now(), now(), now(), 50, 3, 0,"
                    + " 'failed', 'n', 'q', '', '{}')");

            assertThat(database.store().jobs().retry(id)).isPresent();

            assertThat(database.number("SELECT count(*) FROM muster_job_history"))
                    .isZero();
        }
    }

    @Test
    void daysToComeCanBeReplicatedToo() {
        try (FreshDatabase database = new FreshDatabase()) {
            database.execute("SELECT muster_prepare_history(9)");

            assertThat(database.column("SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                            + " WHERE n.nspname = 'public' AND c.relname LIKE 'muster%' AND c.relkind = 'r'"
                            + " AND c.relreplident <> 'f'"
                            + " AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)"))
                    .as("tables of which no row can be deleted while they are published")
                    .isEmpty();
        }
    }
}
