package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ctid of a claimed row is a hint: outcomes are written whether it holds or not, and never into another row. */
class RowCtidsIT extends OnFreshDatabase {
    /** A host's pool sends ctids as text, Muster's own in binary. */
    private PostgresStore store(boolean ownPool) {
        return ownPool
                ? PostgresStore.open(MusterConfig.defaults().with("database.url", database.url()))
                : database.store();
    }

    private static ClaimSession session(PostgresStore store) {
        return store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(5)));
    }

    private static List<ClaimedJob> claim(PostgresStore store, ClaimSession session, int count) {
        List<NewJob> fresh = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fresh.add(JobDraft.plain("a"));
        }
        store.jobs().enqueue(fresh);
        List<ClaimedJob> claimed = session.exchange(List.of(), count).claimed();
        assertThat(claimed).hasSize(count);
        return claimed;
    }

    private static List<Outcome> completions(List<ClaimedJob> claimed) {
        return claimed.stream()
                .<Outcome>map(job -> new Outcome.Completed(job.claim(), "{\"of\": \"" + job.id() + "\"}"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsAreEndedByTheirCtidOrWhereTheyHaveGoneSince(boolean ownPool) {
        try (PostgresStore store = store(ownPool)) {
            ClaimSession session = session(store);
            List<ClaimedJob> claimed = claim(store, session, 20);
            String moved = claimed.get(3).id().toString();
            database.execute("UPDATE muster_jobs SET cancel_requested = true WHERE id = '" + moved + "'");

            Exchange exchange = session.exchange(completions(claimed), 1);

            assertThat(exchange.rejected()).isEmpty();
            assertThat(database.column("SELECT count(*) FROM muster_job_history WHERE status = 'completed'"
                            + " AND result ->> 'of' = id::text"))
                    .containsExactly("20");
            assertThat(database.column("SELECT count(*) FROM muster_jobs")).containsExactly("0");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOutcomeOfALostClaimIsRejectedThoughItsRowHasItsCtid(boolean ownPool) {
        try (PostgresStore store = store(ownPool)) {
            ClaimSession session = session(store);
            List<ClaimedJob> claimed = claim(store, session, 3);
            ClaimedJob lost = claimed.get(1);
            database.execute("UPDATE muster_jobs SET token = token + 1000000 WHERE id = '" + lost.id() + "'");
            database.execute("VACUUM muster_jobs");

            Exchange exchange = session.exchange(completions(claimed), 1);

            assertThat(exchange.rejected()).containsExactly(lost.claim());
            assertThat(database.column("SELECT id FROM muster_jobs"))
                    .containsExactly(lost.id().toString());
        }
    }
}
