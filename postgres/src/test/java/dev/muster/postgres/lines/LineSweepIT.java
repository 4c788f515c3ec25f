package dev.muster.postgres.lines;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Store;
import dev.muster.cluster.NodeStore.Duty;
import dev.muster.cluster.NodeStore.SilenceLimits;
import dev.muster.config.MusterConfig;
import dev.muster.contracts.JobDraft;
import dev.muster.job.JobId;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.LineStore;
import dev.muster.job.store.NewJob;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a sweep of lines costs, and what it does where it cannot look. */
class LineSweepIT {
    private static final Duration HOUR = Duration.ofHours(1);

    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private PostgresStore connected(UnaryOperator<String> change) {
        PostgresStore store = database.store(change);
        store.connect(Store.Events.ignored());
        return store;
    }

    private static NewJob delayed(String line, Duration delay) {
        return JobDraft.named("a").line(line).delay(delay).job();
    }

    private static List<JobId> claim(PostgresStore store) {
        return store
                .claims()
                .openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofMinutes(10)))
                .exchange(List.of(), 10_000)
                .claimed()
                .stream()
                .map(ClaimedJob::id)
                .toList();
    }

    @Test
    void manyLinesThatBecomeDueAreAdmittedByFewStatements() {
        database.execute("CREATE SEQUENCE admissions");
        try (PostgresStore store = connected(sql ->
                sql.replace("muster_admit(?::text[], ?,", "muster_admit(?::text[], nextval('admissions') < 0 OR ?,"))) {
            store.jobs()
                    .enqueue(IntStream.range(0, 3_000)
                            .mapToObj(i -> delayed("key/a/" + i, HOUR))
                            .toList());
            database.advance(HOUR);
            long before = admissions();

            store.port(LineStore.class).sweep();

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
                "CREATE FUNCTION readable(line text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
                        + " IF line = 'key/a/bad' THEN PERFORM nextval('met'); RAISE query_canceled; END IF; RETURN true; END $$");
        try (PostgresStore store = connected(
                sql -> sql.replace("ORDER BY j.line_at, j.line", "AND readable(j.line) ORDER BY j.line_at, j.line"))) {
            List<JobId> ids = new ArrayList<>();
            try (Connection connection = database.transaction()) {
                for (String line : List.of("key/a/good", "key/a/bad", "key/a/better")) {
                    ids.addAll(store.jobs()
                            .enqueue(connection, List.of(delayed(line, HOUR.multipliedBy(ids.size() + 1)))));
                }
                connection.commit();
            }
            database.advance(HOUR.multipliedBy(5));

            store.port(LineStore.class).sweepAll();

            assertThat(claim(store)).containsExactlyInAnyOrder(ids.get(0), ids.get(2));
            assertThat(database.number("SELECT last_value FROM met")).isGreaterThan(1);
        }
    }

    /** Jobs for later are no reason to look. */
    @Test
    void theLeaderHasADutyWhileAJobInLineIsDueSoonAndOtherwiseNot() {
        SilenceLimits patience = SilenceLimits.of(MusterConfig.defaults().cluster());
        try (PostgresStore store = connected(UnaryOperator.identity())) {
            LineStore lines = store.port(LineStore.class);
            store.jobs().enqueue(List.of(delayed("key/a/soon", HOUR), delayed("key/a/later", HOUR.multipliedBy(9))));
            assertThat(store.nodes().overdueWork("n", patience).isDue(Duty.CHECK_LINES))
                    .as("nobody has looked yet")
                    .isTrue();
            lines.sweep();

            assertThat(store.nodes().overdueWork("n", patience).isDue(Duty.CHECK_LINES))
                    .as("nothing is due")
                    .isFalse();
            database.advance(HOUR.minusSeconds(5));
            assertThat(store.nodes().overdueWork("n", patience).isDue(Duty.CHECK_LINES))
                    .as("something is due soon")
                    .isTrue();
            database.advance(Duration.ofSeconds(5));
            lines.sweep();
            assertThat(claim(store)).hasSize(1);
        }
    }
}
