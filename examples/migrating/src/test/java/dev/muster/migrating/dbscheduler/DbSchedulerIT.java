package dev.muster.migrating.dbscheduler;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import dev.muster.migrating.Kill;
import dev.muster.migrating.Kill.Killed;
import dev.muster.migrating.MusterSide;
import dev.muster.migrating.TwoSchedulers;
import dev.muster.migrating.Welcome;
import dev.muster.testing.Sizes;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** db-scheduler and Muster in one database. */
@MusterTest(settings = "worker.lease=60s")
class DbSchedulerIT {
    private final Effects effects = new Effects();
    private final DbSchedulerSide theirs = new DbSchedulerSide(effects);

    @BeforeEach
    void createTheirTable(TestDatabase database) {
        TwoSchedulers.useThisMachinesClock(database);
        DbSchedulerTable.create(database);
    }

    private static SchedulerClient client(DataSource database, Task<?>... tasks) {
        return SchedulerClient.Builder.create(database, tasks).build();
    }

    private static void schedule(SchedulerClient client, int count, Instant at) {
        schedule(client, "customer-", count, at);
    }

    private static void schedule(SchedulerClient client, String prefix, int count, Instant at) {
        client.scheduleBatch(
                IntStream.range(0, count)
                        .mapToObj(i -> DbSchedulerSide.WELCOME
                                .instance(prefix + i)
                                .data(new Welcome("c" + i, i))
                                .build()),
                at);
    }

    @Test
    void theirSideDoesWhatTheGuideSays(DataSource database) {
        RecurringTask<Long> export = theirs.export();
        RecurringTask<Void> report = theirs.morningReport();
        try (Running scheduler = new Running(
                Scheduler.create(database, theirs.welcome(), theirs.charge(), theirs.sync(), theirs.invoices())
                        .startTasks(export, report)
                        .addSchedulerListener(new DbSchedulerSide.Watch(effects))
                        .pollingInterval(Duration.ofMillis(50))
                        .build())) {
            SchedulerClient client = scheduler.start();
            DbSchedulerSide.oneOff(client);
            DbSchedulerSide.delayed(client);
            DbSchedulerSide.cancel(client);
            theirs.atRunTime(client);
            client.scheduleIfNotExists(theirs.charge().instance("17", 17L), Instant.now());
            client.scheduleIfNotExists(theirs.sync().instance("acme"), Instant.now());
            client.reschedule(report.getDefaultTaskInstance(), Instant.now());
            client.reschedule(export.getDefaultTaskInstance(), Instant.now());
            TwoSchedulers.patiently()
                    .until(() ->
                            !effects.startingWith("db-scheduler ends export").isEmpty());
            client.reschedule(export.getDefaultTaskInstance(), Instant.now());

            TwoSchedulers.patiently()
                    .untilAsserted(() -> assertThat(effects.all())
                            .contains(
                                    "db-scheduler sent ada@example.com",
                                    "db-scheduler charges 17",
                                    "db-scheduler syncs acme",
                                    "db-scheduler exports after 0",
                                    "db-scheduler exports after 10",
                                    "db-scheduler ends welcome_mail OK",
                                    "db-scheduler ends charge_card FAILED",
                                    "db-scheduler ends charge_card OK")
                            .anyMatch(effect -> effect.startsWith("db-scheduler reports for")));
        }
        assertThat(effects.all()).doesNotContain("db-scheduler sent bob@example.com");
    }

    @Test
    void executionsAreMovedWithTheirTimeAndKey(Cluster cluster, TestDatabase database, FakeClock clock)
            throws Exception {
        Instant inAnHour = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MILLIS);
        schedule(client(database.dataSource(), theirs.welcome()), 3, inAnHour);

        assertThat(database.column(DbSchedulerChecks.LEFT)).containsExactly("welcome_mail");
        assertThat(MoveExecutions.move(database.dataSource(), cluster.jobs(), 2))
                .isEqualTo(2);
        assertThat(MoveExecutions.move(database.dataSource(), cluster.jobs(), 2))
                .isEqualTo(1);
        assertThat(MoveExecutions.move(database.dataSource(), cluster.jobs(), 2))
                .isZero();
        assertThat(database.column(DbSchedulerChecks.LEFT)).isEmpty();

        assertThat(database.column("SELECT key FROM muster_jobs WHERE ready_at = '" + inAnHour + "' ORDER BY key"))
                .containsExactly(
                        "db-scheduler customer-0 " + inAnHour,
                        "db-scheduler customer-1 " + inAnHour,
                        "db-scheduler customer-2 " + inAnHour);
        cluster.register(new MusterSide(effects));
        cluster.node();
        clock.advance(Duration.ofHours(1));
        cluster.awaitIdle();
        assertThat(effects.sent()).containsExactlyInAnyOrder("muster sent c0", "muster sent c1", "muster sent c2");
    }

    /** Whatever step the move is killed at: after it was repeated, each job is there once. */
    @Test
    void aKilledMoveCanBeRepeated(Cluster cluster, TestDatabase database) throws SQLException {
        Jobs jobs = cluster.jobs();
        SchedulerClient client = client(database.dataSource(), theirs.welcome());
        Kill kill;
        int steps = 0;
        do {
            kill = Kill.after(steps++);
            String round = "kill-at-" + steps + "-";
            schedule(client, round, 3, Instant.now().plus(1, ChronoUnit.HOURS));
            moveUntilKilled(kill.around(DataSource.class, database.dataSource()), jobs);
            String moved = "SELECT count(*) FROM muster_jobs WHERE key LIKE '%" + round + "%'";
            assertThat(database.number("SELECT count(*) FROM scheduled_tasks") + database.number(moved))
                    .as("jobs here and there after a kill at step %d", steps)
                    .isEqualTo(3);

            MoveExecutions.move(database.dataSource(), jobs, 10);
            assertThat(database.number(moved)).isEqualTo(3);
            assertThat(database.number("SELECT count(*) FROM scheduled_tasks")).isZero();
        } while (kill.happened());
        assertThat(steps).as("steps of a move").isGreaterThan(5);
    }

    private static void moveUntilKilled(DataSource database, Jobs jobs) throws SQLException {
        try {
            MoveExecutions.move(database, jobs, 10);
        } catch (Killed e) {
            // The next step of the test looks at what is left.
        }
    }

    /** Both run while jobs are moved: each job runs once, here or there. */
    @Test
    void jobsAreMovedWhileBothRun(Cluster cluster, TestDatabase database) throws SQLException {
        int count = Sizes.of(50, 200);
        OneTimeTask<Welcome> welcome = theirs.welcome();
        schedule(client(database.dataSource(), welcome), count, Instant.now());
        cluster.register(new MusterSide(effects));
        cluster.node();
        effects.hold();
        try (Running scheduler = new Running(Scheduler.create(database.dataSource(), welcome)
                .threads(2)
                .pollingInterval(Duration.ofMillis(20))
                .build())) {
            scheduler.start();
            TwoSchedulers.patiently()
                    .until(() -> !effects.startingWith("db-scheduler").isEmpty());
            assertThat(MoveExecutions.move(database.dataSource(), cluster.jobs(), 5))
                    .isPositive();
            effects.release();
            while (database.number("SELECT count(*) FROM scheduled_tasks") > 0) {
                MoveExecutions.move(database.dataSource(), cluster.jobs(), 5);
            }
            cluster.awaitIdle();
        }
        assertThat(effects.sent().stream().map(effect -> effect.replaceFirst(".* sent ", "")))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, count).mapToObj(i -> "c" + i).toList());
        assertThat(effects.startingWith("muster")).isNotEmpty();
    }

    @Test
    void aTickOfBothSchedulersGivesOneReport(Cluster cluster, TestDatabase database) {
        TwoSchedulers both = new TwoSchedulers();
        RecurringTask<Void> ticks = DbSchedulerSide.reportTicks(cluster.jobs());
        try (Running scheduler = new Running(Scheduler.create(database.dataSource())
                .startTasks(ticks)
                .pollingInterval(Duration.ofMillis(50))
                .build())) {
            scheduler.start();
            cluster.node(both);
            both.awaitMoreTicks(3);
        }
        both.awaitMoreTicks(2);

        both.assertNeitherMissedNorDoubled();
        assertThat(database.number("SELECT count(*) FROM scheduled_tasks WHERE last_success IS NOT NULL"))
                .as("db-scheduler ticked too")
                .isEqualTo(1);
    }

    /** In one transaction: an order, a job of db-scheduler and a job of Muster. */
    @Test
    void bothJoinOneTransaction(Cluster cluster, TestDatabase database) throws SQLException {
        try (var connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            OneTimeTask<Void> old = Tasks.oneTime("old").execute((instance, context) -> {});
            client(new SingleConnectionDataSource(connection, true), old)
                    .scheduleIfNotExists(old.instance("1"), Instant.now());
            cluster.jobs().in(connection).enqueue(MusterSide.WELCOME, new Welcome("ada@example.com", 42));
            connection.rollback();
        }
        assertThat(database.number(
                        "SELECT (SELECT count(*) FROM scheduled_tasks) + (SELECT count(*) FROM muster_jobs)"))
                .isZero();
    }

    private record Running(Scheduler scheduler) implements AutoCloseable {
        SchedulerClient start() {
            scheduler.start();
            return scheduler;
        }

        @Override
        public void close() {
            scheduler.stop();
        }
    }
}
