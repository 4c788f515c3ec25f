package dev.muster.postgres.internal.cluster;

import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.postgres.internal.recovery.RecoveredRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts the jobs back that a node held which has died, was replaced, or leaves. */
final class ReleasedJobs {
    private final Database database;

    ReleasedJobs(Database database) {
        this.database = database;
    }

    /**
     * Makes the jobs pending that this node holds.
     *
     * @param blamed whether running jobs died with their node
     * @param heard when the node sent its last heartbeat
     * @param sweptTo where the sweep of leases starts, in microseconds, if this node sweeps them
     */
    List<Recovered> of(Connection connection, String node, boolean blamed, OffsetDateTime heard, @Nullable Long sweptTo)
            throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/requeue_of_node"))) {
            return RecoveredRows.read(new Params(statement)
                    .text(node)
                    .flag(blamed)
                    .text(heard.toString())
                    .optional(sweptTo)
                    .query());
        }
    }
}
