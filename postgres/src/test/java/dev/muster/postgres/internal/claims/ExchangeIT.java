package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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
import dev.muster.postgres.internal.db.TidArray;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exchanges over any connection, of any row, beside any other writer. */
class ExchangeIT extends OnFreshDatabase {
    private static ClaimSession session(PostgresStore store, String node) {
        return store.claims().openClaims(new ClaimFilter(node, null, Set.of(), null, Duration.ofMinutes(5)));
    }

    private static List<ClaimedJob> claim(PostgresStore store, ClaimSession session, int count) {
        List<NewJob> fresh = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fresh.add(JobDraft.named("j" + i)
                    .args("{\"n\": " + i + ", \"pad\": \"" + "x".repeat(i == 3 ? 100_000 : 1) + "\"}")
                    .job());
        }
        store.jobs().enqueue(fresh);
        List<ClaimedJob> claimed = session.exchange(List.of(), count).claimed();
        assertThat(claimed).hasSize(count);
        return claimed;
    }

    private void awaitLock() {
        await().until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database()")
                > 0);
    }

    /** A renewal of the same row is under way when its outcome is written: PostgreSQL checks the new version again. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anOutcomeThatWaitsForAChangeOfItsRow(int want) throws Exception {
        PostgresStore store = database.store();
        ClaimSession session = session(store, "n");
        List<ClaimedJob> claimed = claim(store, session, 8);
        CompletableFuture<Exchange> exchange;
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute(
                    "UPDATE muster_jobs SET lease_until = lease_until + interval '1 minute', progress = 7 WHERE name IN ('j1', 'j4', 'j6')");
            List<Outcome> outcomes = claimed.stream()
                    .<Outcome>map(job -> job.name().equals("j4")
                            ? new Outcome.Failed(job.claim(), "failed " + job.id())
                            : new Outcome.Completed(job.claim(), "{\"of\": \"" + job.id() + "\"}"))
                    .toList();
            exchange = CompletableFuture.supplyAsync(() -> session.exchange(outcomes, want));
            awaitLock();
            other.commit();
        }
        assertThat(exchange.get(2, TimeUnit.MINUTES).rejected()).isEmpty();
        assertThat(exchange.get().deferred()).isEmpty();
        assertThat(database.number(
                        "SELECT count(*) FROM muster_job_history WHERE (result ->> 'of' = id::text AND status = 'completed')"
                                + " OR (error = 'failed ' || id AND name = 'j4' AND status = 'failed')"))
                .isEqualTo(8);
        assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE progress = 7"))
                .isEqualTo(3);
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "binaryTransfer=false",
                "prepareThreshold=0",
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "options=-c%20bytea_output=escape&binaryTransfer=false",
                "options=-c%20TimeZone=America/New_York%20-c%20DateStyle=German&prepareThreshold=0",
                "binaryTransferEnable=2951,1010"
            })
    void anyConnectionWillDo(String setting) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url() + (database.url().contains("?") ? "&" : "?") + setting);
        config.setMaximumPoolSize(5);
        try (HikariDataSource pool = new HikariDataSource(config);
                PostgresStore store = new PostgresStore(pool, MusterConfig.defaults())) {
            ClaimSession session = session(store, "n");
            for (int i = 0; i < 7; i++) {
                List<ClaimedJob> claimed = claim(store, session, 8);
                assertThat(claimed)
                        .extracting(ClaimedJob::name)
                        .containsExactly("j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7");
                Exchange done = session.exchange(
                        claimed.stream()
                                .<Outcome>map(
                                        job -> new Outcome.Completed(job.claim(), "{\"of\": \"" + job.id() + "\"}"))
                                .toList(),
                        1);
                assertThat(done.rejected()).isEmpty();
                assertThat(done.deferred()).isEmpty();
            }
            assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE result ->> 'of' = id::text"))
                    .isEqualTo(56);
            assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
            session.exchange(List.of(), 1);
            assertThat(database.number("SELECT count(*) FROM muster_claims")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 0x7fffffffL, 0x80000000L, 0xfffffffeL})
    void ctidsAreReadAsTheyAreSent(long block) {
        String hex = database.column("SELECT encode(tidsend('(" + block + ",65535)'::tid), 'hex')")
                .get(0);
        long tid = TidArray.read(HexFormat.of().parseHex(hex));
        assertThat(new TidArray(new long[] {tid}).getValue()).isEqualTo("{\"(" + block + ",65535)\"}");
        byte[] bytes = new byte[30];
        new TidArray(new long[] {tid}).toBytes(bytes, 0);
        assertThat(HexFormat.of().formatHex(bytes, 24, 30)).isEqualTo(hex);
    }

    @Test
    void strangeTimesAreClaimedOnce() {
        PostgresStore store = database.store();
        for (String time : List.of(
                "-infinity",
                "4713-01-02 00:00:00+00 BC",
                "0001-01-01",
                "1969-12-31 23:59:59.999999+00",
                "1970-01-01 00:00:00+00")) {
            database.execute(
                    "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                            + " SELECT gen_random_uuid(), 'j', 'default', 50, 50, 'pending', now(), '" + time
                            + "', now(), '{}'");
        }
        ClaimSession session = session(store, "n");
        List<ClaimedJob> claimed = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            claimed.addAll(session.exchange(List.of(), 1).claimed());
        }
        assertThat(claimed).hasSize(5);
    }
}
