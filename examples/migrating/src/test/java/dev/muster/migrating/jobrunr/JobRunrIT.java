package dev.muster.migrating.jobrunr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import dev.muster.migrating.Kill;
import dev.muster.migrating.Kill.Killed;
import dev.muster.migrating.MusterSide;
import dev.muster.migrating.TwoSchedulers;
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
import org.jobrunr.jobs.JobId;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.jobs.states.StateName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** JobRunr and Muster in one database. */
@MusterTest(settings = "worker.lease=60s")
class JobRunrIT {
    private final Effects effects = new Effects();

    @BeforeEach
    void useThisMachinesClock(TestDatabase database) {
        TwoSchedulers.useThisMachinesClock(database);
    }

    private JobRunrNode node(TestDatabase database, Jobs jobs) {
        return new JobRunrNode(database.dataSource(), effects, jobs);
    }

    @Test
    void theirSideDoesWhatTheGuideSays(Cluster cluster, TestDatabase database) {
        try (JobRunrNode node = node(database, cluster.jobs())) {
            JobRunrSide.oneOff(node.lambdas(), node.requests());
            JobId delayed = JobRunrSide.delayed(node.requests());
            JobId replacement = JobRunrSide.cancel(node.requests(), delayed);
            JobRunrSide.oneAtATime(node.requests());
            JobRunrSide.oneAtATime(node.requests());
            JobRunrSide.recurring(node.requests());
            node.requests().enqueue(new JobRunrSide.ChargeRequest(17));
            assertThat(node.storage().getJobById(delayed.asUUID()).getState()).isEqualTo(StateName.DELETED);
            assertThat(node.storage().getJobById(replacement.asUUID()).getState())
                    .isEqualTo(StateName.SCHEDULED);
            assertThat(node.storage().getRecurringJobs()).hasSize(1);
            node.start();

            TwoSchedulers.patiently()
                    .untilAsserted(() -> assertThat(effects.all())
                            .contains(
                                    "jobrunr syncs acme",
                                    "jobrunr begins Charge order",
                                    "jobrunr charges 17, retry 0",
                                    "jobrunr charges 17, retry 1"));
            TwoSchedulers.patiently()
                    .until(() ->
                            effects.startingWith("jobrunr sent ada@example.com").size() == 2);
        }
        assertThat(effects.startingWith("jobrunr syncs")).hasSize(1);
        assertThat(effects.all()).doesNotContain("jobrunr sent bob@example.com");
    }

    @Test
    void jobsAreMovedWithTheirTimeAndKey(Cluster cluster, TestDatabase database, FakeClock clock) throws SQLException {
        Instant inAnHour = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MILLIS);
        try (JobRunrNode node = node(database, cluster.jobs())) {
            JobId waiting = node.requests().schedule(inAnHour, new JobRunrSide.WelcomeRequest("c0", 0));
            JobId due = node.lambdas().<JobRunrSide.Mails>enqueue(mails -> mails.sendWelcome("c1", 1L));
            assertThat(database.column(JobRunrChecks.LEFT)).hasSize(2);
            JobId other = node.requests().enqueue(new JobRunrSide.ChargeRequest(17));

            assertThat(MoveJobs.move(database.dataSource(), node.mapper(), cluster.jobs(), 1))
                    .isEqualTo(1);
            assertThat(MoveJobs.move(database.dataSource(), node.mapper(), cluster.jobs(), 10))
                    .isEqualTo(1);
            assertThat(MoveJobs.move(database.dataSource(), node.mapper(), cluster.jobs(), 10))
                    .isZero();

            assertThat(database.column(JobRunrChecks.LEFT))
                    .singleElement()
                    .asString()
                    .contains("ChargeHandler");
            assertThat(database.column("SELECT key FROM muster_jobs ORDER BY ready_at"))
                    .containsExactly("jobrunr " + due, "jobrunr " + waiting);
            assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE ready_at = '" + inAnHour + "'"))
                    .isEqualTo(1);
            assertThat(node.storage().getJobById(other.asUUID()).getState()).isEqualTo(StateName.ENQUEUED);
        }
        cluster.register(new MusterSide(effects));
        cluster.node();
        clock.advance(Duration.ofHours(1));
        cluster.awaitIdle();
        assertThat(effects.sent()).containsExactlyInAnyOrder("muster sent c0", "muster sent c1");
    }

    /** Whatever step the move is killed at: after it was repeated, each job is there once. */
    @Test
    void aKilledMoveCanBeRepeated(Cluster cluster, TestDatabase database) throws SQLException {
        Jobs jobs = cluster.jobs();
        try (JobRunrNode node = node(database, jobs)) {
            Kill kill;
            int steps = 0;
            do {
                kill = Kill.after(steps++);
                schedule(node, 3);
                moveUntilKilled(kill.around(DataSource.class, database.dataSource()), node.mapper(), jobs);
                assertThat(database.number(
                                "SELECT (SELECT count(*) FROM jobrunr_jobs) + (SELECT count(*) FROM muster_jobs)"))
                        .as("jobs here and there after a kill at step %d", steps)
                        .isEqualTo(3L * steps);

                MoveJobs.move(database.dataSource(), node.mapper(), jobs, 10);
                assertThat(database.number("SELECT count(DISTINCT key) FROM muster_jobs"))
                        .isEqualTo(3L * steps);
                assertThat(database.number("SELECT count(*) FROM jobrunr_jobs")).isZero();
            } while (kill.happened());
            assertThat(steps).as("steps of a move").isGreaterThan(5);
        }
    }

    private static void schedule(JobRunrNode node, int count) {
        node.requests().enqueue(IntStream.range(0, count).mapToObj(i -> new JobRunrSide.WelcomeRequest("c" + i, i)));
    }

    private static void moveUntilKilled(DataSource database, JobMapper mapper, Jobs jobs) throws SQLException {
        try {
            MoveJobs.move(database, mapper, jobs, 10);
        } catch (Killed e) {
            // The next step of the test looks at what is left.
        }
    }

    /** Both run while jobs are moved: each job runs once, here or there. */
    @Test
    void jobsAreMovedWhileBothRun(Cluster cluster, TestDatabase database) throws SQLException {
        int count = Sizes.of(50, 300);
        cluster.register(new MusterSide(effects));
        cluster.node();
        effects.hold();
        try (JobRunrNode node = node(database, cluster.jobs())) {
            schedule(node, count);
            node.start();
            TwoSchedulers.patiently()
                    .until(() -> !effects.startingWith("jobrunr").isEmpty());
            assertThat(MoveJobs.move(database.dataSource(), node.mapper(), cluster.jobs(), 5))
                    .isPositive();
            effects.release();
            while (database.number("SELECT count(*) FROM jobrunr_jobs WHERE state <> 'SUCCEEDED'") > 0) {
                MoveJobs.move(database.dataSource(), node.mapper(), cluster.jobs(), 5);
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
        try (JobRunrNode node = node(database, cluster.jobs())) {
            node.requests().scheduleRecurrently("report", "* * * * * *", new JobRunrSide.ReportRequest());
            node.start();
            cluster.node(both);
            TwoSchedulers.patiently()
                    .until(() -> database.number(
                                    "SELECT count(*) FROM jobrunr_jobs WHERE state = 'SUCCEEDED' AND recurringJobId = 'report'")
                            >= 1);
            node.requests().deleteRecurringJob("report");
        }
        both.awaitMoreTicks(1);

        both.assertNeitherMissedNorDoubled();
    }

    /** The next run of a recurring job is stored ahead of time: deleting the recurring job does not delete it. */
    @Test
    void aDeletedRecurringJobRunsOnceMore(Cluster cluster, TestDatabase database) {
        try (JobRunrNode node = node(database, cluster.jobs())) {
            JobRunrSide.recurring(node.requests());
            node.start();
            TwoSchedulers.patiently()
                    .until(() -> database.number(
                                    "SELECT count(*) FROM jobrunr_jobs WHERE state = 'SCHEDULED' AND recurringJobId = 'morning-report'")
                            == 1);
            node.requests().deleteRecurringJob("morning-report");

            assertThat(database.number("SELECT count(*) FROM jobrunr_jobs WHERE state = 'SCHEDULED'"))
                    .isEqualTo(1);
        }
    }
}
