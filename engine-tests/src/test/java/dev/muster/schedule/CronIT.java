package dev.muster.schedule;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.schedule.CronInfo.Source;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** Crons in a test, with a clock that the test moves. It stands ten minutes past an hour, and all of them tick on the hour. */
@MusterTest(
        handlers = CronIT.Reports.class,
        settings = {"worker.lease=60s", "worker.renew=1s"})
class CronIT {

    record Run(String name, Instant tick, boolean catchUp, Duration lateness, boolean triggered) {}

    static final class Reports {
        final Queue<Run> runs = new ConcurrentLinkedQueue<>();
        final Queue<String> tenants = new ConcurrentLinkedQueue<>();

        private void ran(CronContext ctx) {
            runs.add(new Run(ctx.name(), ctx.tick(), ctx.isCatchUp(), ctx.lateness(), ctx.isTriggered()));
        }

        @Cron("0 * * * *")
        void hourlyReport(CronContext ctx) throws SQLException {
            try (Connection connection = ctx.connection()) {
                assertThat(connection.getAutoCommit()).isTrue();
            }
            ran(ctx);
        }

        @Cron(value = "0 * * * *", name = "skipping", misfire = Misfire.SKIP)
        void skipping(CronContext ctx) {
            ran(ctx);
        }

        @Cron(value = "0 * * * *", misfire = Misfire.CATCH_UP, catchUpLimit = 3)
        void catchingUp(CronContext ctx) {
            ran(ctx);
        }

        @Cron(value = "0 * * * *", overlap = Overlap.SKIP, queue = "slow")
        void slow(CronContext ctx) {
            ran(ctx);
        }

        @Job("invoice")
        void invoice(JobContext ctx, Tenant tenant) {
            tenants.add(tenant.name());
        }

        List<Run> of(String name) {
            return runs.stream().filter(run -> run.name().equals(name)).toList();
        }
    }

    record Tenant(String name) {}

    /** Moves to this long after the next full hour, which it returns. */
    private static Instant pastTheHour(Cluster cluster, Duration after) {
        Instant now = cluster.now();
        Instant hour = now.truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
        cluster.clock().advance(Duration.between(now, hour).plus(after));
        return hour;
    }

    private static void awaitScheduled(Crons crons) {
        patiently()
                .until(() -> !crons.list().isEmpty()
                        && crons.list().stream()
                                .allMatch(cron -> cron.nextTick().isPresent()));
    }

    private static List<JobInfo> jobsOf(Jobs jobs, String name) {
        return jobs.list(JobQuery.all().name(name));
    }

    @Test
    void ticksCanBeAwaited(Cluster cluster, Crons crons, Reports reports) {
        cluster.node();
        awaitScheduled(crons);
        Instant hour = pastTheHour(cluster, Duration.ofSeconds(1));

        List<JobInfo> ticks = cluster.awaitEnqueued("hourly_report", 1);
        assertThat(cluster.awaitEnded(ticks.get(0).id(), Duration.ofSeconds(90)))
                .isCompleted();
        assertThat(reports.of("hourly_report")).extracting(Run::tick).containsExactly(hour);
    }

    @Test
    void aTestWaitsForATick(Cluster cluster, Reports reports) {
        cluster.node();
        assertThat(cluster.awaitTick("hourly_report")).isCompleted();
        assertThat(cluster.awaitTick("hourly_report")).isCompleted();
        assertThat(reports.runs.stream().filter(run -> run.name().equals("hourly_report") && !run.triggered()))
                .hasSize(2);
        assertThatThrownBy(() -> cluster.awaitTick("typo", Duration.ofMillis(200)))
                .hasMessageContaining("there is no cron typo")
                .hasMessageContaining("hourly_report");
    }

    @Test
    void aTickGivesOneJobOnOneNode(Cluster cluster, Crons crons, Jobs jobs, Reports reports) {
        cluster.node();
        cluster.node();
        awaitScheduled(crons);

        Instant hour = pastTheHour(cluster, Duration.ofSeconds(1));
        patiently().until(() -> reports.of("hourly_report").size() == 1);
        Instant next = pastTheHour(cluster, Duration.ofSeconds(1));
        patiently().until(() -> reports.of("hourly_report").size() == 2);
        cluster.awaitIdle();

        assertThat(next).isEqualTo(hour.plus(ofHours(1)));
        assertThat(reports.of("hourly_report")).extracting(Run::tick).containsExactly(hour, next);
        assertThat(reports.of("hourly_report")).allSatisfy(run -> {
            assertThat(run.catchUp()).isFalse();
            assertThat(run.triggered()).isFalse();
            assertThat(run.lateness()).isBetween(Duration.ofSeconds(1), ofMinutes(5));
        });
        CronInfo cron = crons.find("hourly_report").orElseThrow();
        assertThat(cron.lastTick()).contains(next);
        assertThat(cron.nextTick()).contains(next.plus(ofHours(1)));
        assertThat(jobs.find(cron.lastJob().orElseThrow()).orElseThrow()).isCompleted();
        assertThat(jobsOf(jobs, "hourly_report")).hasSize(2);
    }

    @Test
    void tenMissedTicksGoByThePolicy(Cluster cluster, Crons crons, Reports reports) {
        Node first = cluster.node();
        awaitScheduled(crons);
        first.crash();
        Instant hour = pastTheHour(cluster, ofHours(9).plus(ofMinutes(10)));
        Instant tenth = hour.plus(ofHours(9));

        cluster.node();
        patiently()
                .until(() -> crons.list().stream()
                        .allMatch(cron -> cron.nextTick().orElseThrow().isAfter(tenth)));
        cluster.awaitIdle();

        assertThat(reports.of("skipping")).isEmpty();
        assertThat(reports.of("hourly_report")).singleElement().satisfies(run -> {
            assertThat(run.tick()).isEqualTo(tenth);
            assertThat(run.catchUp()).isTrue();
            assertThat(run.lateness()).isBetween(ofMinutes(10), ofMinutes(15));
        });
        assertThat(reports.of("catching_up"))
                .extracting(Run::tick)
                .containsExactlyInAnyOrder(tenth.minus(ofHours(2)), tenth.minus(ofHours(1)), tenth);
        assertThat(reports.of("catching_up")).allSatisfy(run -> {
            assertThat(run.catchUp()).isTrue();
            assertThat(Duration.between(run.tick().plus(run.lateness()), tenth.plus(ofMinutes(10)))
                            .abs())
                    .isLessThan(ofMinutes(5));
        });
        assertThat(reports.of("slow")).hasSize(1);
    }

    @Test
    void whatPassesWhileACronIsPausedIsOver(Cluster cluster, Crons crons, Reports reports) {
        cluster.node();
        awaitScheduled(crons);
        crons.pause("catching_up");

        pastTheHour(cluster, ofHours(5));
        patiently().until(() -> reports.of("hourly_report").size() == 1);
        assertThat(crons.resume("catching_up").pausedAt()).isEmpty();
        awaitScheduled(crons);
        Instant hour = pastTheHour(cluster, ofMinutes(1));
        patiently().until(() -> reports.of("hourly_report").size() == 2);
        patiently().until(() -> !reports.of("catching_up").isEmpty());
        cluster.awaitIdle();

        assertThat(reports.of("catching_up")).extracting(Run::tick).containsExactly(hour);
    }

    @Test
    void aCronIsTriggeredOutsideItsSchedule(Cluster cluster, Crons crons, Jobs jobs, Reports reports) {
        cluster.node();
        awaitScheduled(crons);
        Instant next = crons.find("hourly_report").orElseThrow().nextTick().orElseThrow();
        crons.pause("hourly_report");

        JobId id = crons.trigger("hourly_report");

        assertThat(cluster.awaitEnded(id, Duration.ofSeconds(90))).isCompleted();
        assertThat(reports.of("hourly_report")).singleElement().satisfies(run -> {
            assertThat(run.triggered()).isTrue();
            assertThat(run.catchUp()).isFalse();
            assertThat(run.lateness()).isZero();
            assertThat(run.tick()).isBetween(next.minus(ofHours(1)), next);
        });
        assertThat(crons.find("hourly_report").orElseThrow().lastTick()).isEmpty();
    }

    @Test
    void aTickIsSkippedWhileTheJobOfTheLastOneLives(
            Cluster cluster, Crons crons, Jobs jobs, Queues queues, Reports reports, TestDatabase database) {
        queues.pause("slow");
        cluster.node();
        awaitScheduled(crons);
        Instant first = pastTheHour(cluster, Duration.ofSeconds(1));
        patiently().until(() -> jobsOf(jobs, "slow").size() == 1);

        Instant second = pastTheHour(cluster, Duration.ofSeconds(1));
        patiently()
                .until(() -> crons.find("slow")
                        .orElseThrow()
                        .nextTick()
                        .orElseThrow()
                        .isAfter(second));
        assertThat(jobsOf(jobs, "slow")).hasSize(1);
        assertThat(database.number("SELECT count(*) FROM muster_cron_ticks WHERE cron = 'slow' AND job_id IS NULL"))
                .isEqualTo(1);

        queues.resume("slow");
        patiently().until(() -> reports.of("slow").size() == 1);
        cluster.awaitIdle();
        Instant third = pastTheHour(cluster, Duration.ofSeconds(1));
        patiently().until(() -> reports.of("slow").size() == 2);
        assertThat(reports.of("slow")).extracting(Run::tick).containsExactly(first, third);
    }

    @Test
    void cronsComeChangeAndGoAtRunTime(Cluster cluster, Crons crons, Reports reports) {
        cluster.node();
        JobRequest job = JobRequest.of("invoice", new Tenant("acme"));

        CronInfo made = crons.create(CronSpec.of("acme_invoices", "0 * * * *", job));
        assertThat(made.source()).isEqualTo(Source.DYNAMIC);
        assertThatThrownBy(() -> crons.create(CronSpec.of("acme_invoices", "@daily", job)))
                .hasMessage("a cron 'acme_invoices' exists already; update or delete it");
        awaitScheduled(crons);
        pastTheHour(cluster, Duration.ofSeconds(1));
        patiently().until(() -> reports.tenants.size() == 1);
        assertThat(reports.tenants).containsExactly("acme");

        CronInfo changed =
                crons.update(CronSpec.of("acme_invoices", "30 6 * * *", job).zone(ZoneId.of("Europe/Berlin")));
        assertThat(changed.definition().expression()).isEqualTo("30 6 * * *");
        awaitScheduled(crons);
        Instant next = crons.find("acme_invoices").orElseThrow().nextTick().orElseThrow();
        assertThat(next.atZone(ZoneId.of("Europe/Berlin")).toLocalTime()).hasToString("06:30");
        assertThat(crons.next("acme_invoices", 3)).hasSize(3).first().isEqualTo(next);

        assertThat(crons.delete("acme_invoices")).isTrue();
        assertThat(crons.delete("acme_invoices")).isFalse();
        assertThat(crons.find("acme_invoices")).isEmpty();
    }

    @Test
    void whatIsDefinedInCodeIsChangedThere(Cluster cluster, Crons crons) {
        cluster.node();

        assertThatThrownBy(() -> crons.delete("hourly_report"))
                .isInstanceOf(InvalidCron.class)
                .hasMessageContaining("is defined in code and deleted there; pause it");
        assertThatThrownBy(() -> crons.update(CronSpec.of("hourly_report", "@daily", JobRequest.of("invoice"))))
                .hasMessageContaining("is defined in code and changed there");
        assertThatThrownBy(() -> crons.pause("nothing")).hasMessage("there is no cron 'nothing'");
        assertThatThrownBy(() -> crons.trigger("nothing")).hasMessage("there is no cron 'nothing'");
    }

    @Test
    void aCronThatCannotBeFiredSaysWhyAndHoldsUpNobody(Cluster cluster, Crons crons, Reports reports) {
        cluster.node();
        crons.create(CronSpec.of("a_bad_one", "0 * * * *", JobRequest.of("invoice", "not a tenant")));
        awaitScheduled(crons);

        pastTheHour(cluster, Duration.ofSeconds(1));

        patiently().until(() -> reports.of("hourly_report").size() == 1);
        patiently().until(() -> crons.find("a_bad_one").orElseThrow().problem().isPresent());
        assertThat(crons.find("a_bad_one").orElseThrow().problem().orElseThrow())
                .contains("do not fit Tenant");
    }

    @Test
    void impossibleCronsAreRefusedWhenRegistered() {
        Object never = new Object() {
            @Cron("0 0 30 2 *")
            void neverEver() {}
        };
        Object elsewhere = new Object() {
            @Cron(value = "@daily", zone = "Europe/Atlantis")
            void lost() {}
        };

        assertThatThrownBy(() -> Muster.builder().register(never))
                .hasMessageContaining("@Cron on")
                .hasMessageContaining("neverEver: cron '0 0 30 2 *' never ticks");
        assertThatThrownBy(() -> Muster.builder().register(elsewhere))
                .hasMessageContaining("there is no time zone 'Europe/Atlantis'");
        assertThatThrownBy(() -> Muster.builder().register(new Object()))
                .hasMessageContaining(
                        "has no method annotated with @Job, @Cron, @Daemon, @Workflow, @Compensation, @Query or @Mutation");
    }

    @Test
    void aJobOfACronRunsOnTheTestsThreadToo(Cluster cluster, Crons crons, Reports reports, Muster muster) {
        JobInfo job = cluster.run(JobRequest.of("hourly_report"));

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(reports.of("hourly_report"))
                .singleElement()
                .satisfies(run -> assertThat(run.triggered()).isTrue());
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(90));
    }
}
