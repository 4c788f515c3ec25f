package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.provider.Store;
import dev.muster.job.QueueLimit;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.postgres.internal.claims.EarlierClaims;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What runs when a queue gets its first limit is counted, whoever dies meanwhile and however long a claim takes that began before. */
class FirstLimitIT extends StoreOnFreshDatabase {
    @BeforeEach
    void prepare() {
        store.connect(Store.Events.ignored());
        for (int i = 0; i < 5; i++) {
            store.jobs().enqueue(List.of(JobDraft.named("send").lane("mail", "").job()));
        }
    }

    private List<ClaimedJob> claim(String node, int want) {
        return store.claims()
                .openClaims(new ClaimFilter(node, null, Set.of(), null, Duration.ofMinutes(5)))
                .exchange(List.of(), want)
                .claimed();
    }

    private void limit(int jobs) {
        store.queues().limit("mail", QueueLimit.maxRunning(jobs));
    }

    /** What the claim of a node does that read the queues before the limit was committed. */
    private static void claimWithoutLimit(Statement transaction) throws SQLException {
        transaction.execute(
                "WITH picked AS (SELECT id FROM muster_jobs WHERE status = 'pending' LIMIT 1 FOR UPDATE), noted AS ("
                        + " INSERT INTO muster_claims (node_id, number, lease_until, ids)"
                        + " SELECT 'slow', nextval('muster_job_token_seq'), now() + interval '5 min', array_agg(id) FROM picked)"
                        + " UPDATE muster_jobs j SET status = 'claimed', node_id = 'slow', token = nextval('muster_job_token_seq'),"
                        + " attempt = 1, lease_until = now() + interval '5 min' FROM picked WHERE j.id = picked.id");
    }

    /** Otherwise the limit would hold for new claims, and nobody would ever count the jobs that run. */
    @Test
    void aLimitThatCannotCountWhatRunsIsNotSet() {
        assertThat(claim("n1", 1)).hasSize(1);
        database.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$");
        database.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON muster_claims FOR EACH ROW WHEN (NEW.queue IS NOT NULL)"
                        + " EXECUTE FUNCTION refuse()");

        assertThatThrownBy(() -> limit(1)).isInstanceOf(MusterException.class);

        assertThat(database.column("SELECT name FROM muster_queues WHERE limited"))
                .isEmpty();
        database.execute("DROP TRIGGER refuse ON muster_claims");
        limit(1);
        assertThat(claim("n2", 5)).isEmpty();
    }

    @Test
    void aClaimThatIsCommittedLongAfterTheLimitIsCountedByTheNextClaimer() throws SQLException {
        try (Connection slow = database.transaction();
                Statement transaction = slow.createStatement()) {
            claimWithoutLimit(transaction);
            limit(2);
            assertThat(database.number("SELECT count(*) FROM muster_claims WHERE queue = 'mail'"))
                    .as("the program that has set the limit waits no longer")
                    .isZero();
            slow.commit();
        }
        database.awaitOlderTransactions();

        assertThat(claim("n1", 5)).hasSize(1);
        assertThat(claim("n2", 5)).isEmpty();
    }

    /** Nobody knows what it does: it may write to a table of the application for hours. */
    @Test
    void aTransactionThatStaysOpenDelaysTheCountForNoLongerThanAClaimTakes() throws SQLException {
        try (Connection open = database.transaction();
                Statement other = open.createStatement();
                Connection slow = database.transaction();
                Statement transaction = slow.createStatement()) {
            other.execute("SELECT pg_current_xact_id()");
            claimWithoutLimit(transaction);
            limit(2);
            slow.commit();
            database.execute(
                    "UPDATE muster_queues SET count_again_at = pg_catalog.statement_timestamp() - interval '41 s'");

            assertThat(claim("n1", 5)).hasSize(1);
            assertThat(claim("n2", 5)).isEmpty();
        }
    }

    /** A transaction has no number before it writes, so nobody can wait for a claim that is still searching. */
    @Test
    void aClaimThatSearchedForLongIsCountedInTheEnd() throws SQLException {
        limit(2);
        // A neighbour's transaction may have taken longer than the limit was willing to wait.
        database.awaitOlderTransactions();
        new EarlierClaims(new Database(database.dataSource(), new SqlFiles("public"))).note("mail");
        try (Connection slow = database.transaction();
                Statement transaction = slow.createStatement()) {
            claimWithoutLimit(transaction);
            slow.commit();
        }
        assertThat(
                        database.number(
                                "SELECT date_part('epoch', count_again_at - pg_catalog.statement_timestamp())::int FROM muster_queues WHERE count_again_after IS NULL"))
                .as("later than any statement ends that began before")
                .isBetween(1L, 41L);
        database.execute("UPDATE muster_queues SET count_again_at = pg_catalog.statement_timestamp()");

        assertThat(claim("n1", 1)).as("it counts with the next claim").hasSize(1);
        assertThat(claim("n2", 5)).isEmpty();
        assertThat(database.column("SELECT name FROM muster_queues WHERE count_again_at IS NOT NULL"))
                .as("all is noted")
                .isEmpty();
    }
}
