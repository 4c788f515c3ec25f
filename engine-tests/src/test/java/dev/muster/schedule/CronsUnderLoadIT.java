package dev.muster.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobRequest;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Crons of a node with default settings, when the database refuses something and when there are many of them. */
class CronsUnderLoadIT {
    private TestDatabase database;
    private Muster node;

    record Tenant(String name) {}

    static final class Handlers {
        @Job("nothing")
        void nothing() {}

        @Job("invoice")
        void invoice(JobContext ctx, Tenant tenant) {}
    }

    @BeforeEach
    void start() {
        database = TestDatabase.fromEnv();
        node = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .register(new Handlers())
                .build();
    }

    @AfterEach
    void stop() {
        node.close();
        database.close();
    }

    private void lockJobsFor(Duration time) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE muster_jobs IN SHARE MODE");
            statement.execute("SELECT pg_sleep(" + time.toMillis() / 1000.0 + ")");
            connection.rollback();
        }
    }

    private Instant now() {
        return Instant.parse(database.column(
                        "SELECT to_char(muster_clock() AT TIME ZONE 'UTC'," + " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
                .get(0));
    }

    private void awaitTicksUpTo(Instant time) {
        patiently()
                .until(() -> node.crons().list().stream()
                        .allMatch(cron -> cron.nextTick().filter(time::isBefore).isPresent()));
    }

    @Test
    void aTableThatIsLockedForAMomentCostsNoTick() throws SQLException {
        node.crons()
                .create(CronSpec.of("skip", "@every 1s", JobRequest.of("nothing"))
                        .misfire(Misfire.SKIP));
        node.crons().create(CronSpec.of("fire_once", "@every 1s", JobRequest.of("nothing")));
        node.crons()
                .create(CronSpec.of("catch_up", "@every 1s", JobRequest.of("nothing"))
                        .catchUp(1));
        node.start();
        patiently().until(() -> database.number("SELECT count(DISTINCT cron) FROM muster_cron_ticks") == 3);

        lockJobsFor(Duration.ofMillis(2_500));
        awaitTicksUpTo(now().plusSeconds(1));

        assertThat(database.number("SELECT count(*) FROM muster_cron_ticks WHERE job_id IS NULL"))
                .isZero();
        assertThat(database.column(
                        "SELECT cron || ' ' || lost FROM (SELECT cron, date_part('epoch', max(tick) - min(tick))"
                                + " + 1 - count(*) AS lost FROM muster_cron_ticks GROUP BY cron) s WHERE lost <> 0"))
                .isEmpty();
        assertThat(database.number("SELECT count(*) FROM muster_crons WHERE problem IS NOT NULL"))
                .isZero();
    }

    /** A hundred that cannot be fired and come first, and two hundred that can: these lose no tick, and none gives two jobs. */
    @Test
    void manyCronsAreFiredTogetherAndThoseThatCannotBeHoldUpNone() {
        database.execute(
                "INSERT INTO muster_crons (name, fingerprint, expression, zone, misfire, catch_up_limit, overlap,"
                        + " jitter_ms, job_name, args, source, created_at, updated_at, next_tick)"
                        + " SELECT CASE WHEN i <= 100 THEN 'a_bad_one_' ELSE 'good_' END || i, 'dynamic', '@every 2s',"
                        + " CASE WHEN i <= 50 THEN 'Europe/Atlantis' ELSE 'UTC' END, 'skip', 1, 'allow', 0,"
                        + " CASE WHEN i <= 100 THEN 'invoice' ELSE 'nothing' END,"
                        + " CASE WHEN i <= 100 THEN '\"not a tenant\"' ELSE 'null' END::jsonb, 'dynamic', now(), now(),"
                        + " to_timestamp(ceil(date_part('epoch', muster_clock()) / 2) * 2) FROM generate_series(1, 300) i");
        node.start();
        Instant until = now().plusSeconds(4);

        patiently()
                .until(() -> database.number("SELECT count(*) FROM muster_crons WHERE name LIKE 'good%'"
                                + " AND next_tick > '" + until + "'")
                        == 200);

        // They keep firing: what is compared is one moment, or what has been fired up to then.
        String fired = " FROM muster_cron_ticks WHERE tick <= '" + until + "'";
        assertThat(database.column("SELECT DISTINCT count(*)" + fired + " GROUP BY cron"))
                .as("every cron has fired equally often")
                .hasSize(1);
        assertThat(database.number("SELECT count(DISTINCT cron)" + fired)).isEqualTo(200);
        assertThat(database.number("SELECT count(*)" + fired)).isGreaterThanOrEqualTo(2 * 200);
        assertThat(database.column("SELECT coalesce(t.cron, j.id::text) FROM muster_cron_ticks t FULL JOIN"
                        + " (SELECT id FROM muster_jobs UNION ALL SELECT id FROM muster_job_history) j ON j.id = t.job_id"
                        + " WHERE t.cron IS NULL OR j.id IS NULL"))
                .as("ticks without a job, and jobs without a tick")
                .isEmpty();
        assertThat(database.number("SELECT count(*) - count(DISTINCT job_id) FROM muster_cron_ticks"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM muster_crons WHERE problem LIKE '%do not fit Tenant%'"))
                .isEqualTo(50);
        assertThat(database.number("SELECT count(*) FROM muster_crons WHERE problem LIKE '%Europe/Atlantis%'"))
                .isEqualTo(50);
    }

    /** Somebody has edited 600 crons that are due and come first, and has not committed. */
    @Test
    void cronsThatSomebodyHasLockedHoldUpNoOther() throws SQLException {
        database.execute(
                "INSERT INTO muster_crons (name, fingerprint, expression, zone, misfire, catch_up_limit, overlap,"
                        + " jitter_ms, job_name, args, source, created_at, updated_at, next_tick)"
                        + " SELECT CASE WHEN i <= 600 THEN 'a_locked_one_' ELSE 'free_' END || i, 'dynamic', '@every 2s',"
                        + " 'UTC', 'skip', 1, 'allow', 0, 'nothing', 'null'::jsonb, 'dynamic', now(), now(),"
                        + " to_timestamp(ceil(date_part('epoch', muster_clock()) / 2) * 2 + CASE WHEN i <= 600 THEN 0 ELSE 2 END)"
                        + " FROM generate_series(1, 610) i");
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT FROM muster_crons WHERE name LIKE 'a_locked_one_%' FOR UPDATE");
            node.start();
            patiently()
                    .until(() ->
                            database.number("SELECT count(*) FROM muster_cron_ticks WHERE cron LIKE 'free%'") >= 20);
            assertThat(database.number("SELECT count(*) FROM muster_cron_ticks WHERE cron LIKE 'a_locked%'"))
                    .isZero();
            connection.rollback();
        }
        patiently()
                .until(() -> database.number(
                                "SELECT count(DISTINCT cron) FROM muster_cron_ticks WHERE cron LIKE 'a_locked%'")
                        == 600);
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(50));
    }
}
