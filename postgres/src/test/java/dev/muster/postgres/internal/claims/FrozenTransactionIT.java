package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A node that stands still in the middle of one of its own transactions, with rows locked. */
class FrozenTransactionIT extends OnFreshDatabase {
    @Test
    void itsJobsAreTakenOverAllTheSame() throws SQLException {
        PostgresStore store = database.store();
        store.jobs().enqueue(List.of(JobDraft.named("a").job()));
        ClaimFilter filter = new ClaimFilter("frozen", null, Set.of(), Set.of("a"), Duration.ofSeconds(30));
        ClaimedJob job = store.claims()
                .openClaims(filter)
                .exchange(List.of(), 1)
                .claimed()
                .get(0);
        Connection frozen = database.transaction();
        String limit = "'idle_in_transaction_session_timeout', ";
        SqlFiles files = new SqlFiles("public", sql -> sql.replace(limit + "'5s'", limit + "'300ms'"));
        assertThat(files.get("jobs/preamble")).contains(limit + "'300ms'");
        new Database(database.dataSource(), files).applySettings(frozen);
        try (Statement statement = frozen.createStatement()) {
            statement.execute("SELECT FROM muster_jobs FOR UPDATE");
        }

        database.advance(Duration.ofSeconds(31));
        List<Recovered> recovered = new ArrayList<>();
        await().until(() -> {
            recovered.addAll(store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, 10, false)));
            return !recovered.isEmpty();
        });

        assertThat(recovered).extracting(Recovered::id).containsExactly(job.id());
        assertThatThrownBy(frozen::commit)
                .satisfies(e ->
                        assertThat(DatabaseErrors.translate((SQLException) e)).isInstanceOf(DatabaseUnavailable.class));
    }
}
