package dev.muster.postgres.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Two admissions to the same group at the same time, held in the moment that decides. */
class AdmissionRacesIT {
    private static final String GROUP = "key/a/acme";
    private static final String ADMIT = "SELECT * FROM muster_admit(ARRAY['" + GROUP + "'], false)";

    @Test
    void theSecondOneWaitsForTheFirstAndCountsWhatItHasAdmitted() throws Exception {
        try (FreshDatabase database = new FreshDatabase();
                PostgresStore store = database.store()) {
            store.connect(Store.Events.ignored());
            store.jobs()
                    .enqueue(List.of(
                            JobDraft.named("a").group(GROUP).job(),
                            JobDraft.named("a").group(GROUP).job(),
                            JobDraft.named("a").group(GROUP).job()));
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

    /** A worker claims and completes jobs of other queues with the same thread; it leaves a group that is locked to others. */
    @Test
    void aWorkerWaitsLessForALockedGroupThanWhoeverHasNothingElseToDo() throws Exception {
        try (FreshDatabase database = new FreshDatabase();
                PostgresStore store = database.store()) {
            store.connect(Store.Events.ignored());
            List<String> later = new CopyOnWriteArrayList<>();
            AdmissionStore admission = store.port(AdmissionStore.class);
            admission.onLater((group, delay, alone) -> later.add(group));
            store.jobs().enqueue(List.of(JobDraft.named("a").group(GROUP).job()));
            try (Connection other = database.transaction()) {
                execute(
                        other,
                        "SELECT FROM muster_concurrency_groups WHERE concurrency_group = '" + GROUP
                                + "' FOR NO KEY UPDATE");
                long patient = nanos(() -> admission.admit(Set.of(GROUP)));
                // The quickest of five: a busy machine delays one or the other.
                long worker = LongStream.generate(
                                () -> nanos(() -> store.claims().admit(Set.of(GROUP))))
                        .limit(5)
                        .min()
                        .orElseThrow();
                assertThat(worker).isLessThan(patient / 2);
                assertThat(later).as("each of them is told to come back").hasSize(6);
            }
        }
    }

    private static long nanos(Runnable code) {
        long start = System.nanoTime();
        code.run();
        return System.nanoTime() - start;
    }

    private static void completeWithoutAdmitting(PostgresStore store) {
        ClaimSession session =
                store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(10)));
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
