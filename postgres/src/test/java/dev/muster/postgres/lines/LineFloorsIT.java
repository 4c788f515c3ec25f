package dev.muster.postgres.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Store;
import dev.muster.contracts.JobDraft;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The floors of a line are below every job that counts, also while others change these jobs. */
class LineFloorsIT {
    private static final String LINE = "fifo/order-17";

    private FreshDatabase database;
    private PostgresStore store;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.store();
        store.connect(Store.Events.ignored());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private JobId enqueue() {
        return store.jobs()
                .enqueue(List.of(JobDraft.named("a").line(LINE).job()))
                .get(0);
    }

    private void admit() {
        database.advance(Duration.ofSeconds(2));
        store.claims().admit(Set.of(LINE));
    }

    /** Whoever looks at the floors before the commit sees a job that is due in the future, and after it one that was due before. */
    @Test
    void aJobInBackoffIsCountedWhileSomebodyMovesItToThePresent() throws SQLException {
        ClaimSession session =
                store.claims().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofMinutes(10)));
        JobId first = enqueue();
        enqueue();
        ClaimedJob claimed = session.exchange(List.of(), 10).claimed().get(0);
        session.exchange(List.of(new Outcome.Retried(claimed.claim(), "no", Duration.ofHours(1))), 0);

        try (Connection open = database.transaction();
                Statement move = open.createStatement()) {
            move.execute("UPDATE muster_jobs SET ready_at = muster_clock() WHERE id = '" + first.value() + "'");
            admit();
            open.commit();
        }
        admit();

        session.wake(Set.of());
        assertThat(session.exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(first);
    }

    /** The time to which a job is moved is written before the one that it had has come, and seen after that. */
    @Test
    void noAdmissionLooksAtALineWhileOneOfItsJobsIsMoved() {
        ClaimSession session =
                store.claims().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofHours(9)));
        JobId first = enqueue();
        enqueue();
        ClaimedJob claimed = session.exchange(List.of(), 10).claimed().get(0);
        session.exchange(List.of(new Outcome.Retried(claimed.claim(), "no", Duration.ofHours(1))), 0);
        // It must not wait for a lock, because such a wait is limited.
        database.execute("CREATE SEQUENCE opened");
        database.execute(
                "CREATE FUNCTION await_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " WHILE NOT (SELECT is_called FROM opened) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN new; END $$");
        database.execute(
                "CREATE TRIGGER gate AFTER UPDATE ON muster_jobs FOR EACH ROW WHEN (new.ready_at < old.ready_at)"
                        + " EXECUTE FUNCTION await_gate()");

        CompletableFuture<Optional<Lane>> moved =
                CompletableFuture.supplyAsync(() -> store.jobs().reschedule(first, Duration.ZERO, null));
        await().until(() -> moved.isDone() || waitsAtGate());
        database.advance(Duration.ofHours(2));
        admit();
        database.number("SELECT nextval('opened')");
        assertThat(moved.join()).isPresent();
        database.execute("DROP TRIGGER gate ON muster_jobs");
        admit();

        session.wake(Set.of());
        assertThat(session.exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(first);
    }

    private boolean waitsAtGate() {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                        + " AND datname = current_database()")
                == 1;
    }
}
