package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Admin.Migration;
import dev.muster.Muster;
import dev.muster.cli.MusterCommand;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.schedule.CronSpec;
import dev.muster.testing.LongTest;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.Workflows.RunQuery;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** People read on a standby: {@code database.read_url}. */
class ReadReplicaIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private ReplicaPair servers;
    private Muster node;
    private JobId failed;
    private JobId later;
    private JobId run;

    static final class OneStep {
        @Workflow(name = "one_step", version = "1")
        int run(WorkflowContext workflow) {
            return workflow.step("answer", Integer.class, step -> 42);
        }
    }

    @BeforeEach
    void start() {
        servers = new ReplicaPair();
        node = Muster.builder()
                .config(MusterConfig.defaults().with("node.id", "a"))
                .database(servers.primaryUrl())
                .set("database.read_url", servers.standbyUrl())
                .register(JobHandler.named("fails")
                        .retry(RetryPolicy.fixed(2, Duration.ofMillis(1)))
                        .run((ctx, none) -> {
                            ctx.log().info("tries");
                            throw new IllegalStateException("no");
                        }))
                .register(JobHandler.named("later").run((ctx, none) -> {}))
                .register(new OneStep())
                .build();
        node.start();
        failed = node.jobs().enqueue("fails", null);
        later = node.jobs().enqueue(JobRequest.of("later", null).delay(Duration.ofHours(1)));
        node.crons().create(CronSpec.of("nightly", "0 3 * * *", JobRequest.of("later", null)));
        run = node.workflows().start(RunRequest.of("one_step", null));
        assertThat(node.workflows().await(run, SOON).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(node.jobs().await(failed, SOON).status()).isEqualTo(JobStatus.FAILED);
        await().atMost(SOON).until(() -> countOf("muster_job_logs") == 2);
        servers.awaitCaughtUp();
    }

    @AfterEach
    void stop() {
        node.close();
        servers.close();
    }

    private long countOf(String table) {
        return Long.parseLong(ReplicaPair.text(servers.primaryUrl(), "SELECT count(*)::text FROM " + table));
    }

    @Test
    void whatPeopleAskIsAnsweredByTheStandbyAndWaitsByThePrimary() {
        everythingIsReadable();
        assertThat(node.admin().replicaLag()).contains(Duration.ZERO);
        servers.cutReplication();

        JobId unseen = node.jobs().enqueue("fails", null);
        assertThat(node.jobs().await(unseen, SOON).status()).isEqualTo(JobStatus.FAILED);
        assertThat(node.jobs().find(unseen)).as("it is not on the standby").isEmpty();
        assertThat(node.jobs().list(JobQuery.all().name("fails"))).hasSize(1);
        await().untilAsserted(() -> {
            JobCount one = new JobCount(1, true);
            assertThat(node.jobs().counts(JobQuery.all().name("fails"))).containsEntry(JobStatus.FAILED, one);
            assertThat(node.overview().counts()).containsEntry(JobStatus.FAILED, one);
        });
        JobId unseenRun = node.workflows().start(RunRequest.of("one_step", null));
        assertThat(node.workflows().await(unseenRun, SOON).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(node.workflows().find(unseenRun))
                .as("it is not on the standby")
                .isEmpty();
        assertThat(node.workflows().list(RunQuery.all())).hasSize(1);
        node.crons().pause("nightly");
        assertThat(node.crons().list()).allMatch(cron -> cron.pausedAt().isEmpty());
        assertThat(node.crons().resume("nightly").pausedAt()).isEmpty();
        await("the standby knows that it is behind")
                .atMost(SOON)
                .until(() -> node.admin().replicaLag().orElse(Duration.ZERO).compareTo(Duration.ofSeconds(1)) > 0);

        servers.promote();
        assertThat(node.jobs().find(failed)).as("a server that was promoted").isPresent();
        assertThat(node.admin().replicaLag()).contains(Duration.ZERO);
    }

    private void everythingIsReadable() {
        assertThat(node.jobs().find(failed).orElseThrow().error()).isPresent();
        assertThat(node.jobs().find(later).orElseThrow().waitingReason()).isPresent();
        assertThat(node.jobs().attempts(failed))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.FAILED);
        assertThat(node.jobs().logs(failed, 0, 10)).hasSize(2);
        assertThat(node.jobs().list(JobQuery.all().ids(List.of(failed, later)))).hasSize(2);
        assertThat(node.jobs().list(JobQuery.all().name("fails"))).hasSize(1);
        assertThat(node.jobs().search(JobQuery.all().status(JobStatus.FAILED)).jobs())
                .hasSize(1);
        assertThat(node.jobs()
                        .search(JobQuery.all().status(JobStatus.CLAIMED, JobStatus.RUNNING))
                        .jobs())
                .isEmpty();
        assertThat(node.queues().list()).hasSize(1);
        assertThat(node.workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(node.workflows().steps(run)).hasSize(1);
        assertThat(node.workflows().list(RunQuery.all())).hasSize(1);
        assertThat(node.crons().list()).hasSize(1);
        assertThat(node.crons().find("nightly")).isPresent();
        assertThat(node.crons().next("nightly", 3)).hasSize(3);
        assertThat(node.daemons().list()).isEmpty();
        assertThat(node.locks().list()).isNotNull();
        assertThat(node.nodes()).hasSize(1);
        assertThat(node.leaders()).isNotEmpty();
        assertThat(node.admin().handlers()).containsKey("fails");
        assertThat(node.admin().knownNames().jobs()).contains("fails", "later");
        assertThat(node.admin().metrics(Duration.ofHours(1))).isNotNull();
        assertThat(node.admin().minutes(Duration.ofHours(1), Optional.empty())).isNotNull();
        assertThat(node.admin().concurrencyGroups(10, Optional.empty()).groups())
                .isEmpty();
        assertThat(node.admin().rateLimits(10)).isEmpty();
        assertThat(node.crons().history("nightly", 10)).isEmpty();
        assertThat(node.overview().minutes()).hasSize(60);
        assertThat(node.admin().migrations()).allMatch(Migration::applied);
    }

    @LongTest(
            twin = ReadReplicaIT.class,
            test = "whatPeopleAskIsAnsweredByTheStandbyAndWaitsByThePrimary",
            why = "a standby that is down")
    @Test
    void aStandbyThatIsDownIsNamedAndStopsNobodyWhoWrites() {
        servers.stopStandby();

        assertThatThrownBy(() -> node.jobs().find(failed))
                .isInstanceOf(DatabaseUnavailable.class)
                .hasMessageContaining("database.read_url")
                .hasMessageContaining("127.0.0.1:" + servers.standbyPort());
        assertThatThrownBy(() -> node.queues().list()).hasMessageContaining("database.read_url");
        JobId id = node.jobs().enqueue("fails", null);
        assertThat(node.jobs().await(id, SOON).status()).isEqualTo(JobStatus.FAILED);
        assertThat(node.health().ok()).isTrue();

        servers.startStandby();
        servers.awaitCaughtUp();
        assertThat(node.jobs().find(id)).isPresent();
    }

    @Test
    void everyCommandThatReadsNeedsTheStandbyAlone() throws IOException {
        JobId pending = node.jobs().enqueue(JobRequest.of("later", null).delay(Duration.ofHours(1)));
        servers.awaitCaughtUp();
        node.close();
        servers.awaitCaughtUp();
        servers.stopPrimary();
        Path settings = folder.resolve("muster.toml");
        Files.writeString(
                settings,
                "[database]\nurl = \"" + servers.primaryUrl() + "\"\nread_url = \"" + servers.standbyUrl() + "\"\n");

        for (String command : List.of(
                "jobs list",
                "jobs list --status failed",
                "jobs list --name nobody",
                "jobs show " + failed,
                "jobs show " + pending,
                "jobs logs " + failed,
                "queues list",
                "crons list",
                "crons next nightly",
                "daemons list",
                "metrics",
                "cluster status",
                "cluster nodes",
                "cluster leaders")) {
            Ran ran = run(settings, command + " -o json");
            assertThat(ran.exit()).as(command + ": " + ran.err()).isZero();
            assertThat(ran.out()).as(command).isNotBlank();
        }
        assertThat(run(settings, "jobs show " + failed).out()).contains("retried");
        assertThat(run(settings, "jobs retry " + failed).err()).contains("cannot reach the database at");
        servers.stopStandby();
        Ran down = run(settings, "queues list");
        assertThat(down.exit()).isNotZero();
        assertThat(down.err()).contains("the server of database.read_url").contains(":" + servers.standbyPort());
        servers.startStandby();
        servers.returnOldPrimary();
    }

    private record Ran(int exit, String out, String err) {}

    private static Ran run(Path settings, String command) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] arguments = (command + " --config " + settings).split(" ");
        CommandLine muster = MusterCommand.createFor(arguments);
        muster.setOut(new PrintWriter(out, true));
        muster.setErr(new PrintWriter(err, true));
        int exit = muster.execute(arguments);
        return new Ran(exit, out.toString(), err.toString());
    }

    @Test
    void withSeveralServersAStandbyIsPreferred() {
        try (Muster reader = Muster.builder()
                .config(MusterConfig.defaults())
                .database(servers.primaryUrl())
                .set("database.read_url", servers.bothUrl())
                .build()) {
            servers.cutReplication();
            JobId unseen = reader.jobs().enqueue("later", null);
            assertThat(reader.jobs().await(unseen, SOON).status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(reader.jobs().find(unseen)).isEqualTo(Optional.empty());

            servers.stopStandby();
            assertThat(reader.jobs().find(unseen)).as("on the primary").isPresent();
            servers.startStandby();
        }
    }
}
