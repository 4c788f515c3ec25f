package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.batch.BatchStore.NewBatch;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims write no index of the jobs; the notes in muster_claims lead to every job that somebody holds. */
class ClaimNotesIT extends StoreOnFreshDatabase {
    private static final String HELD = "SELECT count(*) FROM muster_jobs WHERE token IS NOT NULL";
    private static final String UNNAMED = HELD
            + " AND NOT EXISTS (SELECT FROM muster_claims c WHERE c.node_id = muster_jobs.node_id AND id = ANY (c.ids))";
    private static final String NOTES = "SELECT count(*) FROM muster_claims";

    private ClaimSession session(String node) {
        return store.claims().openClaims(new ClaimFilter(node, null, Set.of(), null, Duration.ofSeconds(30)));
    }

    private void enqueue(int count) {
        List<NewJob> fresh = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fresh.add(JobDraft.plain("a"));
        }
        store.jobs().enqueue(fresh);
    }

    private List<ClaimedJob> claim(ClaimSession session, int count) {
        enqueue(count);
        List<ClaimedJob> claimed = session.exchange(List.of(), count).claimed();
        assertThat(claimed).hasSize(count);
        return claimed;
    }

    private static List<Outcome> completions(List<ClaimedJob> claimed) {
        return claimed.stream()
                .<Outcome>map(job -> new Outcome.Completed(job.claim(), null))
                .toList();
    }

    private void expireLeases(List<ClaimedJob> claimed) {
        for (ClaimedJob job : claimed) {
            database.execute("UPDATE muster_jobs SET lease_until = clock_timestamp() - interval '1 second' WHERE id = '"
                    + job.id() + "'");
        }
        database.execute("UPDATE muster_claims SET lease_until = clock_timestamp() - interval '1 second'");
    }

    private List<JobId> sweep(boolean everything) {
        return store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, 10, everything)).stream()
                .map(Recovered::id)
                .toList();
    }

    private static List<JobId> ids(List<ClaimedJob> claimed) {
        return claimed.stream().map(ClaimedJob::id).toList();
    }

    private static List<ClaimRef> refs(List<ClaimedJob> claimed) {
        return claimed.stream().map(ClaimedJob::claim).toList();
    }

    @Test
    void aClaimTouchesNoIndexOfTheJobs() {
        for (int i = 0; i < 8; i++) {
            claim(session("a-node-with-a-name-of-forty-characters-"), 100);
        }
        BatchId batch = BatchId.next();
        store.port(BatchStore.class).create(new NewBatch(batch, "b", "all", null, null, null));
        for (int i = 0; i < 2; i++) {
            store.jobs()
                    .enqueue(Stream.generate(() -> JobDraft.named("a")
                                    .lane("default", "!gpu~other")
                                    .batch(batch)
                                    .tenant("acme")
                                    .trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                                    .job())
                            .limit(100)
                            .toList());
            assertThat(session("a-node-with-a-name-of-forty-characters-")
                            .exchange(List.of(), 100)
                            .claimed())
                    .hasSize(100);
        }
        assertThat(database.number("SELECT pg_relation_size('muster_jobs_due_for_admission')"))
                .as("an index of jobs that wait for admission has the page that an empty one has")
                .isEqualTo(database.number("SELECT current_setting('block_size')"));
        // Sessions report what they did when they end.
        database.dataSource().getHikariPoolMXBean().softEvictConnections();
        await().untilAsserted(() -> assertThat(
                        database.column(
                                "SELECT n_tup_upd || ' ' || n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'muster_jobs'"))
                .containsExactly("1000 1000"));
    }

    @Test
    void everyJobThatIsHeldIsNamedAndTheNoteGoesWhenTheLastIsOver() {
        ClaimSession session = session("n");
        List<ClaimedJob> claimed = claim(session, 10);
        store.claims().markRunning(List.of(new Start(claimed.get(0).claim(), 3, 5, 0)));
        assertThat(database.number(HELD)).isEqualTo(10);
        assertThat(database.number(UNNAMED)).isZero();

        session.exchange(completions(claimed.subList(0, 9)), 5);
        session.exchange(List.of(), 5);
        assertThat(database.number(NOTES)).isEqualTo(1);
        assertThat(database.number(UNNAMED)).isZero();

        session.exchange(completions(claimed.subList(9, 10)), 5);
        session.exchange(List.of(), 5);
        assertThat(database.number(NOTES)).isZero();
    }

    @Test
    void handedBackAndLostClaimsAreOverToo() {
        ClaimSession session = session("n");
        List<ClaimedJob> claimed = claim(session, 3);
        database.execute("UPDATE muster_jobs SET token = token + 1000000, node_id = 'other' WHERE id = '"
                + claimed.get(1).id() + "'");

        assertThat(store.claims()
                        .renew(List.of(claimed.get(1).claim()), Duration.ofSeconds(30))
                        .lost())
                .containsExactly(claimed.get(1).claim());
        session.exchange(
                List.of(
                        new Outcome.Released(claimed.get(0).claim()),
                        new Outcome.Retried(claimed.get(2).claim(), "no", Duration.ofHours(1))),
                0);
        session.exchange(List.of(), 1);

        assertThat(database.column("SELECT cardinality(ids) FROM muster_claims"))
                .as("only what was claimed again just now")
                .containsExactly("1");
    }

    @Test
    void theSweepTakesWhatRanOutAndLooksAgainWhenTheRestDoes() {
        ClaimSession session = session("n");
        List<ClaimedJob> claimed = claim(session, 6);
        session.exchange(completions(claimed.subList(0, 2)), 0);
        expireLeases(claimed.subList(2, 4));

        assertThat(sweep(false)).containsExactlyInAnyOrderElementsOf(ids(claimed.subList(2, 4)));
        assertThat(sweep(false)).isEmpty();

        assertThat(database.number(UNNAMED)).isZero();
        assertThat(database.column("SELECT cardinality(c.ids) || ' ' || (c.lease_until ="
                        + " (SELECT min(lease_until) FROM muster_jobs)) FROM muster_claims c"))
                .containsExactly("2 true");
        session.exchange(completions(claimed.subList(4, 6)), 0);
        database.execute("UPDATE muster_claims SET lease_until = clock_timestamp() - interval '1 second'");
        assertThat(sweep(false)).isEmpty();
        assertThat(database.number(NOTES)).isZero();
    }

    @Test
    void aRenewedLeaseIsHonouredThoughItsNoteIsOlder() {
        ClaimSession session = session("n");
        List<ClaimedJob> claimed = claim(session, 2);
        expireLeases(claimed);
        store.claims().renew(refs(claimed), Duration.ofMinutes(5));

        assertThat(sweep(true)).isEmpty();
        assertThat(database.number(UNNAMED)).isZero();
        assertThat(database.number(
                        NOTES + " WHERE lease_until BETWEEN clock_timestamp() + interval '4 minutes' AND 'infinity'"))
                .isEqualTo(1);
    }

    @Test
    void aJobThatSomeoneHasLockedIsLeftForTheNextSweep() throws SQLException {
        List<ClaimedJob> claimed = claim(session("n"), 3);
        expireLeases(claimed);
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute(
                    "SELECT FROM muster_jobs WHERE id = '" + claimed.get(0).id() + "' FOR UPDATE");
            assertThat(sweep(false)).containsExactlyInAnyOrderElementsOf(ids(claimed.subList(1, 3)));
            assertThat(database.number(UNNAMED)).isZero();
            other.rollback();
        }
        await().untilAsserted(() ->
                assertThat(sweep(false)).containsExactly(claimed.get(0).id()));
    }

    @Test
    void aNodeSettlesItsNotesWhileASweepHoldsThem() throws SQLException {
        ClaimSession session = session("n");
        List<ClaimedJob> claimed = claim(session, 3);
        session.exchange(completions(claimed), 0);
        try (Connection sweep = database.transaction();
                Statement statement = sweep.createStatement()) {
            statement.execute("SELECT FROM muster_claims FOR UPDATE");
            enqueue(1);
            assertThat(session.exchange(List.of(), 1).claimed()).hasSize(1);
            sweep.rollback();
        }
    }

    @Test
    void aClaimWithoutANoteIsFoundByThePatrol() {
        List<ClaimedJob> claimed = claim(session("n"), 3);
        expireLeases(claimed);
        database.execute("DELETE FROM muster_claims");

        assertThat(sweep(false)).isEmpty();
        assertThat(sweep(true)).containsExactlyInAnyOrderElementsOf(ids(claimed));
        assertThat(database.number(NOTES)).isZero();
    }

    @Test
    void aJobThatIsNamedTwiceIsTakenOnce() {
        List<ClaimedJob> claimed = claim(session("n"), 2);
        expireLeases(claimed);
        database.execute(
                "INSERT INTO muster_claims SELECT node_id, number + 1000, lease_until, ids FROM muster_claims");

        assertThat(sweep(false)).containsExactlyInAnyOrderElementsOf(ids(claimed));
        assertThat(database.number(NOTES)).isZero();
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE attempt = 0 AND status = 'pending'"))
                .isEqualTo(2);
    }

    @Test
    void moreNotesThanOneStatementTakesAreSweptInOneGo() {
        ClaimSession session = session("n");
        List<ClaimedJob> claimed = new ArrayList<>();
        enqueue(50);
        for (int i = 0; i < 50; i++) {
            claimed.addAll(session.exchange(List.of(), 1).claimed());
        }
        List<Outcome> first = completions(claimed.subList(0, 45));
        session.exchange(first, 0);
        expireLeases(claimed.subList(45, 50));

        assertThat(sweep(false)).hasSize(5);
        assertThat(database.number(NOTES)).isZero();
    }

    @Test
    void onlyWhatRunsForLongLeavesTheReadyIndex() {
        List<ClaimedJob> claimed = claim(session("n"), 2);
        store.claims().markRunning(List.of(new Start(claimed.get(0).claim(), 3, 5, 0)));
        assertThat(database.column("SELECT id FROM muster_jobs WHERE ready_at IS NULL"))
                .containsExactly(claimed.get(0).id().toString());

        session("n").exchange(List.of(new Outcome.Released(claimed.get(0).claim())), 0);
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE ready_at IS NULL"))
                .isZero();
    }

    @Test
    void aRowWhoseLockWasGivenUpIsClaimedSoon() throws SQLException {
        ClaimSession session = session("n");
        enqueue(20);
        List<ClaimedJob> claimed =
                new ArrayList<>(session.exchange(List.of(), 1).claimed());
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT FROM muster_jobs WHERE status = 'pending' FOR UPDATE");
            other.rollback();
        }
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE status = 'pending' AND xmax <> 0"))
                .isEqualTo(19);

        await().untilAsserted(() -> {
            claimed.addAll(session.exchange(List.of(), 1).claimed());
            assertThat(claimed).hasSize(20);
        });
    }

    @Test
    void aBacklogWhoseLocksWereGivenUpIsWorkedOffAtOnce() throws SQLException {
        ClaimSession session = session("n");
        enqueue(3_000);
        session.exchange(List.of(), 1);
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("UPDATE muster_jobs SET cancel_requested = true WHERE status = 'pending'");
            other.rollback();
        }
        // One scan in ten seconds would take a minute.
        await().untilAsserted(() -> {
            session.exchange(List.of(), 500);
            assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE status = 'pending'"))
                    .isZero();
        });
    }

    @Test
    void thousandsOfLeasesThatRanOutAreSweptInSeconds() {
        ClaimSession session = session("n");
        for (int i = 0; i < 10; i++) {
            claim(session, 1_000);
        }
        database.execute("UPDATE muster_jobs SET lease_until = clock_timestamp() - interval '1 second'");
        database.execute("UPDATE muster_claims SET lease_until = clock_timestamp() - interval '1 second'");
        List<Recovered> recovered = store.leaders().unfenced(tx -> {
            try (Statement statement = tx.createStatement()) {
                statement.execute("SET LOCAL statement_timeout = '4s'");
            }
            return store.recovery().recoverExpired(tx, 10_000, false);
        });
        assertThat(recovered).hasSize(10_000);
        assertThat(database.number(NOTES)).isZero();
    }

    @Test
    void aJobThatNoScanWouldFindCannotBeWritten() {
        enqueue(1);
        for (String wrong : List.of(
                "ready_at = NULL",
                "ready_at = 'infinity'",
                "status = 'waiting'",
                "status = 'waiting', ready_at = NULL")) {
            assertThatThrownBy(() -> database.execute("UPDATE muster_jobs SET " + wrong))
                    .hasMessageContaining("muster_jobs_status_check");
        }
    }

    @Test
    void aNoteOfAnotherTimelineWithTheSameNumberIsKept() {
        ClaimSession session = session("n");
        List<ClaimedJob> claimed = claim(session, 2);
        enqueue(1);
        // As after a failover to a standby that was behind: the number was given out again.
        database.execute("UPDATE muster_claims SET ids = ARRAY (SELECT id FROM muster_jobs WHERE status = 'pending')");

        session.exchange(completions(claimed), 0);
        session.exchange(List.of(), 1);

        assertThat(database.number(NOTES)).isEqualTo(2);
    }
}
