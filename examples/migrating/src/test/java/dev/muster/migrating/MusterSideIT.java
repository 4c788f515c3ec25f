package dev.muster.migrating;

import static dev.muster.testkit.MusterAssertions.assertThat;

import dev.muster.Muster;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.migrating.MusterSide.Account;
import dev.muster.migrating.MusterSide.Watch;
import dev.muster.schedule.Crons;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Muster's side of the guides does what they say. */
@MusterTest
class MusterSideIT {
    private final Effects effects = new Effects();

    @BeforeEach
    void register(Cluster cluster) {
        cluster.register(new MusterSide(effects));
    }

    @Test
    void oneOff(Cluster cluster) {
        cluster.node();
        cluster.awaitEnded(MusterSide.oneOff(cluster.jobs()));

        assertThat(effects.all()).containsExactly("muster sent ada@example.com");
    }

    @Test
    void startedInAService(TestDatabase database) {
        try (Muster muster = MusterSide.start(database.dataSource(), effects, new Watch(effects))) {
            muster.jobs().await(MusterSide.oneOff(muster.jobs()), Duration.ofSeconds(60));
        }
        assertThat(effects.all())
                .containsExactly(
                        "muster begins welcome_mail", "muster sent ada@example.com", "muster ends welcome_mail");
    }

    @Test
    void delayedThenMovedAndCancelled(Cluster cluster) {
        JobId id = MusterSide.delayed(cluster.jobs());

        assertThat(MusterSide.moveToTomorrow(cluster.jobs(), id)).isTrue();
        assertThat(cluster.jobs().find(id).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void retries(Cluster cluster) {
        JobId id = cluster.jobs().enqueue("charge_card", 17);
        cluster.fastForward(Duration.ofMinutes(1));

        JobInfo job = cluster.jobs().find(id).orElseThrow();
        assertThat(job).isCompleted();
        assertThat(effects.all())
                .containsExactly(
                        "muster charges 17, attempt 1", "muster charges 17, attempt 2", "muster charges 17, attempt 3");
    }

    @Test
    void oneAtATime(Cluster cluster) {
        JobId first = cluster.jobs().enqueue("sync_account", new Account("acme"));
        JobId second = cluster.jobs().enqueue("sync_account", new Account("acme"));

        assertThat(cluster.jobs().find(first).orElseThrow().status()).isEqualTo(JobStatus.PENDING);
        assertThat(cluster.jobs().find(second).orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        cluster.drain();
        assertThat(effects.all()).containsExactly("muster syncs acme", "muster syncs acme");
    }

    @Test
    void recurring(Cluster cluster) {
        cluster.node();

        assertThat(cluster.awaitTick("morning_report")).isCompleted();
        assertThat(effects.startingWith("muster reports for ")).hasSize(1);
    }

    @Test
    void stateBetweenRuns(Cluster cluster, TestDatabase database) {
        database.execute("CREATE TABLE export_state AS SELECT 0::bigint AS last_id");
        cluster.node();
        cluster.awaitTick("export");
        cluster.awaitTick("export");

        assertThat(effects.startingWith("muster exports"))
                .contains("muster exports after 0", "muster exports after 10");
        assertThat(database.number("SELECT last_id FROM export_state"))
                .isEqualTo(10L * effects.startingWith("muster exports").size());
    }

    @Test
    void cronsAtRunTime(Cluster cluster) {
        Crons crons = cluster.client().crons();
        cluster.node();
        MusterSide.atRunTime(crons);

        assertThat(crons.find("acme_invoices")).isEmpty();
    }

    @Test
    void progressAndLog(Cluster cluster) {
        cluster.node();
        JobInfo job = cluster.awaitEnded(cluster.jobs().enqueue("import_rows", 3));

        assertThat(job).isCompleted();
        TwoSchedulers.patiently()
                .untilAsserted(() -> assertThat(cluster.jobs().logs(job.id(), 0, 10))
                        .singleElement()
                        .satisfies(line -> assertThat(line.message()).isEqualTo("imported 3 rows")));
    }

    @Test
    void listeners(Cluster cluster) {
        Watch watch = new Watch(effects);
        cluster.intercept(watch).listen(watch);
        cluster.node();
        JobId id = cluster.jobs().enqueue(JobRequest.of("charge_card", 17).maxAttempts(1));
        cluster.awaitEnded(id);

        TwoSchedulers.patiently()
                .untilAsserted(() -> assertThat(effects.all())
                        .containsExactly(
                                "muster begins charge_card",
                                "muster charges 17, attempt 1",
                                "muster ends charge_card",
                                "muster gives up charge_card"));
    }

    @Test
    void aTickGivesOneReport(Cluster cluster) {
        cluster.node();
        cluster.awaitTick("report_tick");
        cluster.awaitIdle();

        assertThat(effects.startingWith("muster reports 2")).hasSize(1);
    }
}
