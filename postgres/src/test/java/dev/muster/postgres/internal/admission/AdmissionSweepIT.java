package dev.muster.postgres.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobId;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a sweep of admission costs, and what it does where it cannot look. */
class AdmissionSweepIT extends OnFreshDatabase {
    private static final Duration HOUR = Duration.ofHours(1);

    private PostgresStore connected(UnaryOperator<String> change) {
        PostgresStore store = database.store(change);
        store.connect(Store.Events.ignored());
        return store;
    }

    private static NewJob delayed(String group, Duration delay) {
        return JobDraft.named("a").group(group).delay(delay).job();
    }

    private static List<JobId> claim(PostgresStore store) {
        return store
                .claims()
                .openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(10)))
                .exchange(List.of(), 10_000)
                .claimed()
                .stream()
                .map(ClaimedJob::id)
                .toList();
    }

    @Test
    void manyGroupsThatBecomeDueAreAdmittedByFewStatements() {
        database.execute("CREATE SEQUENCE admissions");
        try (PostgresStore store = connected(sql ->
                sql.replace("muster_admit(?::text[], ?,", "muster_admit(?::text[], nextval('admissions') < 0 OR ?,"))) {
            store.jobs()
                    .enqueue(IntStream.range(0, 3_000)
                            .mapToObj(i -> delayed("key/a/" + i, HOUR))
                            .toList());
            database.advance(HOUR);
            long before = admissions();

            store.port(AdmissionStore.class).sweep();

            assertThat(claim(store)).hasSize(3_000);
            assertThat(admissions() - before).isBetween(1L, 30L);
        }
    }

    private long admissions() {
        return database.number("SELECT last_value FROM admissions");
    }

    /** The second of three jobs cannot be read: the statement ends as if it had taken too long. */
    @Test
    void aStretchThatTakesTooLongIsDividedAndAtLastLeftOut() throws SQLException {
        database.execute("CREATE SEQUENCE met");
        database.execute(
                "CREATE FUNCTION readable(concurrency_group text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
                        + " IF concurrency_group = 'key/a/bad' THEN PERFORM nextval('met'); RAISE query_canceled; END IF; RETURN true; END $$");
        try (PostgresStore store = connected(sql -> sql.replace(
                "ORDER BY j.group_position, j.concurrency_group",
                "AND readable(j.concurrency_group) ORDER BY j.group_position, j.concurrency_group"))) {
            List<JobId> ids = new ArrayList<>();
            try (Connection connection = database.transaction()) {
                for (String group : List.of("key/a/good", "key/a/bad", "key/a/better")) {
                    ids.addAll(store.jobs()
                            .enqueue(connection, List.of(delayed(group, HOUR.multipliedBy(ids.size() + 1)))));
                }
                connection.commit();
            }
            database.advance(HOUR.multipliedBy(5));

            store.port(AdmissionStore.class).sweepAll();

            assertThat(claim(store)).containsExactlyInAnyOrder(ids.get(0), ids.get(2));
            assertThat(database.number("SELECT last_value FROM met")).isGreaterThan(1);
        }
    }

    /** Jobs for later are no reason to look. */
    @Test
    void theLeaderHasADutyWhileAJobThatWaitsForAdmissionIsDueSoonAndOtherwiseNot() {
        SilenceLimits patience = SilenceLimits.of(MusterConfig.defaults().cluster());
        try (PostgresStore store = connected(UnaryOperator.identity())) {
            AdmissionStore admission = store.port(AdmissionStore.class);
            store.jobs().enqueue(List.of(delayed("key/a/soon", HOUR), delayed("key/a/later", HOUR.multipliedBy(9))));
            assertThat(store.nodes().overdueWork("n", patience).isDue(Duty.CHECK_ADMISSION))
                    .as("nobody has looked yet")
                    .isTrue();
            admission.sweep();

            assertThat(store.nodes().overdueWork("n", patience).isDue(Duty.CHECK_ADMISSION))
                    .as("nothing is due")
                    .isFalse();
            database.advance(HOUR.minusSeconds(5));
            assertThat(store.nodes().overdueWork("n", patience).isDue(Duty.CHECK_ADMISSION))
                    .as("something is due soon")
                    .isTrue();
            database.advance(Duration.ofSeconds(5));
            admission.sweep();
            assertThat(claim(store)).hasSize(1);
        }
    }
}
