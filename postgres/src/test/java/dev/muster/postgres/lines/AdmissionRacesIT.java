package dev.muster.postgres.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Store;
import dev.muster.contracts.JobDraft;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Two admissions to the same line at the same time, held in the moment that decides. */
class AdmissionRacesIT {
    private static final String LINE = "key/a/acme";
    private static final String ADMIT = "SELECT * FROM muster_admit(ARRAY['" + LINE + "'], false)";

    @Test
    void theSecondOneWaitsForTheFirstAndCountsWhatItHasAdmitted() throws Exception {
        try (FreshDatabase database = new FreshDatabase();
                PostgresStore store = database.store()) {
            store.connect(Store.Events.ignored());
            store.jobs()
                    .enqueue(List.of(
                            JobDraft.named("a").line(LINE).job(),
                            JobDraft.named("a").line(LINE).job(),
                            JobDraft.named("a").line(LINE).job()));
            completeWithoutAdmitting(store);
            try (Connection first = database.transaction()) {
                execute(first, ADMIT);
                CompletableFuture<Void> second = CompletableFuture.runAsync(() -> admit(database));
                await().until(() -> second.isDone() || waits(database));
                first.commit();
                // Whether it admits nothing or gives up: the only place is taken.
                second.handle((done, failure) -> done).join();
            }
            assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE status = 'pending'"))
                    .isEqualTo(1);
        }
    }

    private static void completeWithoutAdmitting(PostgresStore store) {
        ClaimSession session =
                store.claims().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofMinutes(10)));
        List<ClaimedJob> claimed = session.exchange(List.of(), 3).claimed();
        assertThat(claimed).hasSize(1);
        session.exchange(List.of(new Outcome.Completed(claimed.get(0).claim(), null)), 0);
    }

    private static void admit(FreshDatabase database) {
        try (Connection connection = database.connection()) {
            execute(connection, ADMIT);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean waits(FreshDatabase database) {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND query LIKE '%muster_admit%'")
                == 1;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
