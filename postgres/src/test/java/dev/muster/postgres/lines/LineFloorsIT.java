package dev.muster.postgres.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Store;
import dev.muster.contracts.JobDraft;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.LineLimit;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.LineStore;
import dev.muster.job.store.Outcome;
import dev.muster.overview.LimitUsageStore;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /** A job that has been admitted for long is below the floor. It is counted once all the same, whatever becomes of it. */
    @Test
    void aLongJobKeepsItsPlaceWhileTheFloorRisesAboveIt() {
        String line = "name/b";
        store.port(LineStore.class).publish(Map.of("b", new LineLimit(2, "", false, null)), Set.of());
        ClaimSession session =
                store.claims().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofHours(9)));
        enqueue(line);
        ClaimedJob running = claimOne(session);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < 3; i++) {
                database.advance(Duration.ofSeconds(10));
                enqueue(line);
                complete(session, claimOne(session));
            }
            assertThat(database.number("SELECT count(*) FROM muster_lines l JOIN muster_jobs j"
                            + " ON j.line = l.line AND j.ready_at < l.admitted_floor AND j.id = ANY (l.held)"))
                    .as("jobs below the floor")
                    .isOne();
            assertThat(runningJobs()).containsExactly(1L);
            enqueue(line);
            ClaimedJob other = claimOne(session);
            enqueue(line);
            assertThat(claim(session)).as("the long job has the other place").isEmpty();
            session.exchange(List.of(new Outcome.Released(running.claim())), 0);
            store.claims().admit(Set.of(line));
            ClaimedJob again = claimOne(session);
            assertThat(again.id()).isEqualTo(running.id());
            running = again;
            complete(session, other);
            complete(session, claimOne(session));
        }
        complete(session, running);
        enqueue(line);
        enqueue(line);
        enqueue(line);
        assertThat(claim(session)).hasSize(2);
    }

    /** As people are told, line by line. */
    private List<Long> runningJobs() {
        return store.port(LimitUsageStore.class).lines(10, Optional.empty()).lines().stream()
                .map(line -> line.running().count())
                .toList();
    }

    private void enqueue(String line) {
        store.jobs().enqueue(List.of(JobDraft.named("b").line(line).job()));
    }

    private static List<ClaimedJob> claim(ClaimSession session) {
        session.wake(Set.of());
        return session.exchange(List.of(), 10).claimed();
    }

    private static ClaimedJob claimOne(ClaimSession session) {
        List<ClaimedJob> claimed = claim(session);
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    private void complete(ClaimSession session, ClaimedJob job) {
        session.exchange(List.of(new Outcome.Completed(job.claim(), null)), 0);
        store.claims().admit(Set.of(String.valueOf(job.line())));
    }

    /** Nodes of the version before put jobs in line with a time and without a number. While the clock runs forward, that is an order, too. */
    @Test
    void jobsOfNodesOfTheVersionBeforeStandInTheSameOrder() {
        ClaimSession session =
                store.claims().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofHours(9)));
        try (PostgresStore before = database.store(LineFloorsIT::asBefore)) {
            before.connect(Store.Events.ignored());
            enqueue();
            ClaimedJob running = claimOne(session);
            List<JobId> order = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                order.add(before.jobs()
                        .enqueue(List.of(JobDraft.named("a").line(LINE).job()))
                        .get(0));
                order.add(enqueue());
            }
            JobId later = before.jobs()
                    .enqueue(List.of(JobDraft.named("a")
                            .line(LINE)
                            .delay(Duration.ofMinutes(1))
                            .job()))
                    .get(0);
            complete(session, running);
            for (JobId id : order) {
                ClaimedJob next = claimOne(session);
                assertThat(next.id()).isEqualTo(id);
                complete(session, next);
            }
            assertThat(claim(session)).isEmpty();
            database.advance(Duration.ofMinutes(1));
            store.claims().admit(Set.of(LINE));
            assertThat(claimOne(session).id()).isEqualTo(later);
        }
    }

    private static String asBefore(String statement) {
        String before = statement
                .replaceAll(
                        "(muster_rank_in_line\\(n\\.line, n\\.priority), coalesce\\(n\\.run_at <= t\\.now, coalesce\\(n\\.delay_ms, 0\\) <= 0\\)\\)",
                        "$1)")
                .replaceAll(
                        "(\\S*)muster_position_in_line\\(n\\.line, n\\.run_at, n\\.delay_ms, t\\.now\\)",
                        "greatest(coalesce(n.run_at, t.now + coalesce(n.delay_ms, 0) * interval '1 millisecond'), $1muster_line_clock())");
        if (statement.contains("muster_position_in_line(n.line")) {
            assertThat(before).doesNotContain("muster_position_in_line").contains("n.priority)", "muster_line_clock");
        }
        return before;
    }
}
