package dev.muster.migrating.quartz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quartz.CronScheduleBuilder.cronSchedule;
import static org.quartz.JobBuilder.newJob;
import static org.quartz.TriggerBuilder.newTrigger;

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
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerKey;

/** Quartz and Muster in one database. */
@MusterTest(settings = "worker.lease=60s")
class QuartzIT {
    private final Effects effects = new Effects();

    @BeforeEach
    void createTheirTables(TestDatabase database) throws IOException {
        TwoSchedulers.useThisMachinesClock(database);
        QuartzNode.createTables(database);
    }

    private static void schedule(Scheduler scheduler, String prefix, int count, Instant at) throws SchedulerException {
        Set<Trigger> triggers = new HashSet<>();
        for (int i = 0; i < count; i++) {
            triggers.add(newTrigger()
                    .forJob(QuartzSide.WELCOME)
                    .withIdentity(prefix + i)
                    .usingJobData("address", prefix + i)
                    .usingJobData("customerId", (long) i)
                    .startAt(Date.from(at))
                    .build());
        }
        scheduler.scheduleJobs(Map.of(QuartzSide.WELCOME, triggers), true);
    }

    private static int move(Scheduler scheduler, Jobs jobs) throws SchedulerException {
        return MoveTriggers.move(scheduler, QuartzSide.WELCOME.getKey(), jobs);
    }

    @Test
    void theirSideDoesWhatTheGuideSays(Cluster cluster, TestDatabase database) throws SchedulerException {
        try (QuartzNode node = QuartzNode.on(database.dataSource(), effects, cluster.jobs())) {
            Scheduler scheduler = node.scheduler();
            scheduler.getListenerManager().addJobListener(new QuartzSide.Watch(effects));
            scheduler.start();
            QuartzSide.oneOff(scheduler);
            QuartzSide.delayed(scheduler);
            QuartzSide.cancel(scheduler);
            QuartzSide.recurring(scheduler);
            scheduler.triggerJob(JobKey.jobKey("morning_report"));
            scheduler.scheduleJob(
                    newJob(QuartzSide.ChargeCard.class)
                            .withIdentity("charge_card")
                            .storeDurably()
                            .build(),
                    newTrigger()
                            .usingJobData("orderId", 17L)
                            .usingJobData("attempt", "1")
                            .build());
            scheduler.scheduleJob(
                    newJob(QuartzSide.SyncAccount.class)
                            .withIdentity(QuartzSide.accountKey("acme"))
                            .build(),
                    newTrigger().build());
            JobKey export = JobKey.jobKey("export");
            scheduler.addJob(
                    newJob(QuartzSide.Export.class)
                            .withIdentity(export)
                            .usingJobData("lastId", 0L)
                            .storeDurably()
                            .build(),
                    true);
            scheduler.triggerJob(export);
            scheduler.triggerJob(export);

            TwoSchedulers.patiently()
                    .untilAsserted(() -> assertThat(effects.all())
                            .contains(
                                    "quartz begins welcome_mail",
                                    "quartz sent ada@example.com",
                                    "quartz ends welcome_mail",
                                    "quartz charges 17, attempt 3",
                                    "quartz syncs acme",
                                    "quartz exports after 0",
                                    "quartz exports after 10")
                            .anyMatch(effect -> effect.startsWith("quartz reports for")));
            assertThat(effects.all()).doesNotContain("quartz sent bob@example.com");
            assertThat(scheduler.checkExists(TriggerKey.triggerKey("customer-43")))
                    .isFalse();
        }
    }

    @Test
    void triggersAreMovedWithTheirTimeAndKey(Cluster cluster, TestDatabase database, FakeClock clock)
            throws SchedulerException {
        Instant inAnHour = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MILLIS);
        try (QuartzNode node = QuartzNode.on(database.dataSource(), effects, cluster.jobs())) {
            schedule(node.scheduler(), "customer-", 3, inAnHour);
            assertThat(database.column(QuartzChecks.LEFT)).containsExactly("welcome_mail");

            assertThat(move(node.scheduler(), cluster.jobs())).isEqualTo(3);
            assertThat(move(node.scheduler(), cluster.jobs())).isZero();
            assertThat(database.column(QuartzChecks.LEFT)).isEmpty();
        }
        assertThat(database.column("SELECT key FROM muster_jobs WHERE ready_at = '" + inAnHour + "' ORDER BY key"))
                .containsExactly(
                        "quartz DEFAULT.customer-0 " + inAnHour,
                        "quartz DEFAULT.customer-1 " + inAnHour,
                        "quartz DEFAULT.customer-2 " + inAnHour);
        cluster.register(new MusterSide(effects));
        cluster.node();
        clock.advance(Duration.ofHours(1));
        cluster.awaitIdle();
        assertThat(effects.sent())
                .containsExactlyInAnyOrder(
                        "muster sent customer-0", "muster sent customer-1", "muster sent customer-2");
    }

    /** Whatever step the move is killed at, while Quartz runs: after it was repeated, each job ran there or is here, once. */
    @Test
    void aKilledMoveCanBeRepeated(Cluster cluster, TestDatabase database) throws SchedulerException {
        Jobs jobs = cluster.jobs();
        try (QuartzNode node = QuartzNode.on(database.dataSource(), effects, jobs)) {
            Scheduler scheduler = node.scheduler();
            scheduler.start();
            Kill kill;
            int steps = 0;
            do {
                kill = Kill.after(steps++);
                String round = "kill-at-" + steps + "-";
                schedule(scheduler, round + "due-", 2, Instant.now());
                schedule(scheduler, round + "later-", 3, Instant.now().plus(1, ChronoUnit.HOURS));
                moveUntilKilled(kill.around(Scheduler.class, scheduler), kill.around(Jobs.class, jobs));

                move(scheduler, jobs);
                TwoSchedulers.patiently().until(() -> database.number("SELECT count(*) FROM qrtz_triggers") == 0);
                assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE key LIKE '%" + round + "%'")
                                + effects.startingWith("quartz sent " + round).size())
                        .as("jobs here and runs there after a kill at step %d", steps)
                        .isEqualTo(5);
            } while (kill.happened());
            assertThat(steps).as("steps of a move").isGreaterThanOrEqualTo(15);
        }
    }

    private static void moveUntilKilled(Scheduler scheduler, Jobs jobs) throws SchedulerException {
        try {
            move(scheduler, jobs);
        } catch (Killed e) {
            // The next step of the test looks at what is left.
        }
    }

    /** Both run while jobs are moved: each job runs once, here or there. */
    @Test
    void jobsAreMovedWhileBothRun(Cluster cluster, TestDatabase database) throws SchedulerException {
        int count = Sizes.of(30, 100);
        cluster.register(new MusterSide(effects));
        cluster.node();
        effects.hold();
        try (QuartzNode node = QuartzNode.on(database.dataSource(), effects, cluster.jobs())) {
            Scheduler scheduler = node.scheduler();
            schedule(scheduler, "customer-", count, Instant.now());
            scheduler.start();
            TwoSchedulers.patiently()
                    .until(() -> !effects.startingWith("quartz").isEmpty());
            assertThat(move(scheduler, cluster.jobs())).isPositive();
            effects.release();
            TwoSchedulers.patiently().until(() -> database.number("SELECT count(*) FROM qrtz_triggers") == 0);
            cluster.awaitIdle();
        }
        assertThat(effects.sent().stream().map(effect -> effect.replaceFirst(".* sent ", "")))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, count).mapToObj(i -> "customer-" + i).toList());
        assertThat(effects.startingWith("muster")).isNotEmpty();
    }

    @Test
    void aTickOfBothSchedulersGivesOneReport(Cluster cluster, TestDatabase database) throws SchedulerException {
        TwoSchedulers both = new TwoSchedulers();
        try (QuartzNode node = QuartzNode.on(database.dataSource(), effects, cluster.jobs())) {
            Scheduler scheduler = node.scheduler();
            scheduler.scheduleJob(
                    newJob(QuartzSide.ReportTicks.class).withIdentity("report").build(),
                    newTrigger()
                            .withIdentity("report")
                            .withSchedule(cronSchedule("* * * * * ?"))
                            .build());
            scheduler.start();
            cluster.node(both);
            both.awaitMoreTicks(3);
            assertThat(scheduler.getTrigger(TriggerKey.triggerKey("report")).getPreviousFireTime())
                    .as("Quartz ticked too")
                    .isNotNull();
            scheduler.unscheduleJob(TriggerKey.triggerKey("report"));
        }
        both.awaitMoreTicks(2);

        both.assertNeitherMissedNorDoubled();
    }
}
