package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Lane;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.postgres.internal.db.StatementPart;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A feature of this test alone adds an outcome and the statement that writes it. */
class FeatureOutcomesIT extends OnFreshDatabase {
    private static final Lane LANE = new Lane("default", "");

    /** The job is put aside for an hour, with a note. */
    private record Shelved(ClaimRef claim, String note) implements Outcome.OfFeature {}

    /** An outcome of a feature that this store does not have. */
    private record Unheard(ClaimRef claim) implements Outcome.OfFeature {}

    private static final class Shelf implements FeatureOutcomes {
        final List<Integer> asked = new ArrayList<>();

        @Override
        public boolean takes(Outcome.OfFeature outcome) {
            return outcome instanceof Shelved;
        }

        @Override
        public List<StatementPart> parts(List<Outcome.OfFeature> outcomes, Answer answer) {
            asked.add(outcomes.size());
            return List.of(new StatementPart(
                    "UPDATE muster_jobs j SET status = 'pending', node_id = NULL, token = NULL, lease_until = NULL,"
                            + " started_at = NULL, ready_at = muster_clock() + interval '1 hour', error = o.note"
                            + " FROM unnest(?::uuid[], ?::bigint[], ?::text[]) AS o (id, claim_token, note)"
                            + " WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.claim_token"
                            + " RETURNING j.id, o.claim_token, j.queue, j.capability",
                    params -> params.claims(
                                    outcomes.stream().map(Outcome::claim).toList())
                            .column("text", outcomes, outcome -> ((Shelved) outcome).note()),
                    statement -> read(StatementPart.rows(statement), answer)));
        }

        private static void read(ResultSet rows, Answer answer) throws SQLException {
            while (rows.next()) {
                answer.written(Outcomes.claim(rows));
                answer.pendingAgain(new Lane(rows.getString(3), rows.getString(4)), Duration.ofHours(1));
            }
        }
    }

    private final Shelf shelf = new Shelf();

    private ClaimSession session(UnaryOperator<String> change) {
        return new ClaimSessions(
                new Database(database.dataSource(), new SqlFiles("public", change)),
                new HeldClaims(),
                List.of(shelf),
                new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5)),
                System::nanoTime);
    }

    private List<ClaimedJob> claim(ClaimSession session, String... names) {
        for (String name : names) {
            database.store().jobs().enqueue(List.of(JobDraft.plain(name)));
        }
        session.wake(Set.of(LANE));
        List<ClaimedJob> claimed = session.exchange(List.of(), names.length).claimed();
        assertThat(claimed).extracting(ClaimedJob::name).containsExactly(names);
        return claimed;
    }

    @Test
    void itIsWrittenInTheTransactionOfTheOtherOutcomesAndOfTheClaim() {
        ClaimSession session = session(sql -> sql);
        List<ClaimedJob> jobs = claim(session, "completed", "shelved", "retried");
        database.store().jobs().enqueue(List.of(JobDraft.plain("next")));
        session.wake(Set.of(LANE));

        Exchange exchange = session.exchange(
                List.of(
                        new Outcome.Completed(jobs.get(0).claim(), null),
                        new Shelved(jobs.get(1).claim(), "on the shelf"),
                        new Outcome.Retried(jobs.get(2).claim(), "failed", Duration.ofHours(2))),
                10);

        assertThat(exchange.claimed()).extracting(ClaimedJob::name).containsExactly("next");
        assertThat(exchange.rejected()).isEmpty();
        assertThat(exchange.deferred()).isEmpty();
        assertThat(exchange.refused()).isEmpty();
        assertThat(exchange.returnedLater()).containsEntry(LANE, Duration.ofHours(1));
        assertThat(shelf.asked).containsExactly(1);
        assertThat(database.column("SELECT error FROM muster_jobs WHERE name = 'shelved' AND token IS NULL"))
                .containsExactly("on the shelf");
        assertThat(database.number(
                        "SELECT count(DISTINCT x) FROM (SELECT xmin::text AS x FROM muster_jobs UNION ALL SELECT xmin::text FROM"
                                + " muster_job_history) t"))
                .isOne();

        session.exchange(List.of(new Outcome.Completed(exchange.claimed().get(0).claim(), null)), 10);
        session.exchange(List.of(), 10);
        assertThat(database.number("SELECT count(*) FROM muster_claims")).isZero();
    }

    @Test
    void aStaleClaimWritesNothingAndIsRejected() {
        ClaimSession session = session(sql -> sql);
        List<ClaimedJob> jobs = claim(session, "lost", "held");
        database.execute("UPDATE muster_jobs SET token = nextval('muster_job_token_seq'), node_id = 'n2'"
                + " WHERE name = 'lost'");

        Exchange exchange = session.exchange(
                List.of(
                        new Shelved(jobs.get(0).claim(), "too late"),
                        new Shelved(jobs.get(1).claim(), "in time")),
                1);

        assertThat(exchange.rejected()).containsExactly(jobs.get(0).claim());
        assertThat(database.column("SELECT name || ' ' || status || ' ' || coalesce(error, '') FROM muster_jobs"))
                .containsExactlyInAnyOrder("lost claimed ", "held pending in time");
    }

    @Test
    void itIsWrittenWithoutTheClaimIfThatFails() {
        ClaimSession claims = session(sql -> sql);
        List<ClaimedJob> jobs = claim(claims, "completed", "shelved");
        database.store().jobs().enqueue(List.of(JobDraft.plain("next")));
        ClaimSession session = session(sql -> sql.contains("picked AS MATERIALIZED") ? "SELECT 1 / 0" : sql);

        Exchange exchange = session.exchange(
                List.of(
                        new Outcome.Completed(jobs.get(0).claim(), null),
                        new Shelved(jobs.get(1).claim(), "without a claim")),
                1);

        assertThat(exchange.rejected()).isEmpty();
        assertThat(exchange.returnedLater()).containsKey(LANE);
        assertThat(shelf.asked).as("with the claim, and without").containsExactly(1, 1);
        assertThat(database.column("SELECT error FROM muster_jobs WHERE name = 'shelved' AND token IS NULL"))
                .containsExactly("without a claim");
        assertThat(database.column("SELECT name FROM muster_job_history")).containsExactly("completed");
    }

    @Test
    void oneThatCannotBeStoredFailsItsOwnJobOnly() {
        ClaimSession session = session(sql -> sql);
        List<ClaimedJob> jobs = claim(session, "good", "bad", "plain");

        Exchange exchange = session.exchange(
                List.of(
                        new Shelved(jobs.get(0).claim(), "fine"),
                        new Shelved(jobs.get(1).claim(), "a null: \0"),
                        new Outcome.Completed(jobs.get(2).claim(), null)),
                0);

        assertThat(exchange.rejected()).isEmpty();
        assertThat(exchange.refused()).containsOnlyKeys(jobs.get(1).claim());
        assertThat(database.column("SELECT name FROM muster_jobs")).containsExactly("good");
        assertThat(database.column("SELECT name || ' ' || status FROM muster_job_history"))
                .containsExactlyInAnyOrder("bad failed", "plain completed");
    }

    @Test
    void oneThatNoFeatureWritesFailsItsOwnJobOnly() {
        ClaimSession session = session(sql -> sql);
        List<ClaimedJob> jobs = claim(session, "unheard", "plain");

        Exchange exchange = session.exchange(
                List.of(
                        new Unheard(jobs.get(0).claim()),
                        new Outcome.Completed(jobs.get(1).claim(), null)),
                1);

        assertThat(exchange.rejected()).isEmpty();
        assertThat(exchange.refused()).containsOnlyKeys(jobs.get(0).claim());
        assertThat(database.column(
                        "SELECT name || ' ' || status || ' ' || coalesce(error, '') FROM muster_job_history"))
                .containsExactlyInAnyOrder(
                        "unheard failed this store has no statement for the outcome Unheard of the job",
                        "plain completed ");
    }

    @Test
    void plainJobsSendNoStatementOfAFeature() {
        ClaimSession session = session(sql -> sql);
        List<ClaimedJob> jobs = claim(session, "completed", "snoozed");
        session.exchange(
                List.of(
                        new Outcome.Completed(jobs.get(0).claim(), null),
                        new Outcome.Snoozed(jobs.get(1).claim(), Duration.ofHours(1))),
                1);
        assertThat(shelf.asked).isEmpty();
    }
}
