package dev.muster.postgres.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Store;
import dev.muster.contracts.JobDraft;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.LineStore;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
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

    /** A worker claims and completes jobs of other queues with the same thread; it leaves a line that is locked to others. */
    @Test
    void aWorkerWaitsLessForALockedLineThanWhoeverHasNothingElseToDo() throws Exception {
        try (FreshDatabase database = new FreshDatabase();
                PostgresStore store = database.store()) {
            store.connect(Store.Events.ignored());
            List<String> later = new CopyOnWriteArrayList<>();
            LineStore lines = store.port(LineStore.class);
            lines.onLater((line, delay, alone) -> later.add(line));
            store.jobs().enqueue(List.of(JobDraft.named("a").line(LINE).job()));
            try (Connection other = database.transaction()) {
                execute(other, "SELECT FROM muster_lines WHERE line = '" + LINE + "' FOR NO KEY UPDATE");
                long patient = nanos(() -> lines.admit(Set.of(LINE)));
                // The quickest of five: a busy machine delays one or the other.
                long worker = LongStream.generate(
                                () -> nanos(() -> store.claims().admit(Set.of(LINE))))
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
