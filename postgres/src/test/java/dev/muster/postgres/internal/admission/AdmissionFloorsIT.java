package dev.muster.postgres.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.overview.LimitUsageStore;
import dev.muster.internal.provider.Store;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The floors of a group are below every job that counts, also while others change these jobs. */
class AdmissionFloorsIT extends StoreOnFreshDatabase {
    private static final String GROUP = "fifo/order-17";

    @BeforeEach
    void prepare() {
        store.connect(Store.Events.ignored());
    }

    private JobId enqueue() {
        return store.jobs()
                .enqueue(List.of(JobDraft.named("a").group(GROUP).job()))
                .get(0);
    }

    private void admit() {
        database.advance(Duration.ofSeconds(2));
        store.claims().admit(Set.of(GROUP));
    }

    /** Whoever looks at the floors before the commit sees a job that is due in the future, and after it one that was due before. */
    @Test
    void aJobInBackoffIsCountedWhileSomebodyMovesItToThePresent() throws SQLException {
        ClaimSession session =
                store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(10)));
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
    void noAdmissionLooksAtAGroupWhileOneOfItsJobsIsMoved() {
        ClaimSession session =
                store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofHours(9)));
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
        String group = "name/b";
        store.port(AdmissionStore.class).publish(Map.of("b", new ConcurrencyLimit(2, "", false, null)), Set.of());
        ClaimSession session =
                store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofHours(9)));
        enqueue(group);
        ClaimedJob running = claimOne(session);
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < 3; i++) {
                database.advance(Duration.ofSeconds(10));
                enqueue(group);
                complete(session, claimOne(session));
            }
            assertThat(
                            database.number(
                                    "SELECT count(*) FROM muster_concurrency_groups l JOIN muster_jobs j"
                                            + " ON j.concurrency_group = l.concurrency_group AND j.ready_at < l.admitted_floor AND j.id = ANY (l.held)"))
                    .as("jobs below the floor")
                    .isOne();
            assertThat(runningJobs()).containsExactly(1L);
            enqueue(group);
            ClaimedJob other = claimOne(session);
            enqueue(group);
            assertThat(claim(session)).as("the long job has the other place").isEmpty();
            session.exchange(List.of(new Outcome.Released(running.claim())), 0);
            store.claims().admit(Set.of(group));
            ClaimedJob again = claimOne(session);
            assertThat(again.id()).isEqualTo(running.id());
            running = again;
            complete(session, other);
            complete(session, claimOne(session));
        }
        complete(session, running);
        enqueue(group);
        enqueue(group);
        enqueue(group);
        assertThat(claim(session)).hasSize(2);
    }

    /** As people are told, group by group. */
    private List<Long> runningJobs() {
        return store.port(LimitUsageStore.class).concurrencyGroups(10, Optional.empty()).groups().stream()
                .map(group -> group.running().count())
                .toList();
    }

    private void enqueue(String group) {
        store.jobs().enqueue(List.of(JobDraft.named("b").group(group).job()));
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
        store.claims().admit(Set.of(String.valueOf(job.concurrencyGroup())));
    }

    /** Nodes of the version before put jobs into their groups with a time and without a number. While the clock runs forward, that is an order, too. */
    @Test
    void jobsOfNodesOfTheVersionBeforeStandInTheSameOrder() {
        ClaimSession session =
                store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofHours(9)));
        try (PostgresStore before = database.store(AdmissionFloorsIT::asBefore)) {
            before.connect(Store.Events.ignored());
            enqueue();
            ClaimedJob running = claimOne(session);
            List<JobId> order = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                order.add(before.jobs()
                        .enqueue(List.of(JobDraft.named("a").group(GROUP).job()))
                        .get(0));
                order.add(enqueue());
            }
            JobId later = before.jobs()
                    .enqueue(List.of(JobDraft.named("a")
                            .group(GROUP)
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
            store.claims().admit(Set.of(GROUP));
            assertThat(claimOne(session).id()).isEqualTo(later);
        }
    }

    private static String asBefore(String statement) {
        String before = statement
                .replaceAll(
                        "(muster_rank_in_group\\(n\\.concurrency_group, n\\.priority), coalesce\\(n\\.run_at <= t\\.now, coalesce\\(n\\.delay_ms, 0\\) <= 0\\)\\)",
                        "$1)")
                .replaceAll(
                        "(\\S*)muster_position_in_group\\(n\\.concurrency_group, n\\.run_at, n\\.delay_ms, t\\.now\\)",
                        "greatest(coalesce(n.run_at, t.now + coalesce(n.delay_ms, 0) * interval '1 millisecond'), $1muster_group_clock())");
        if (statement.contains("muster_position_in_group(n.concurrency_group")) {
            assertThat(before).doesNotContain("muster_position_in_group").contains("n.priority)", "muster_group_clock");
        }
        return before;
    }
}
