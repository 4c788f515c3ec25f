package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.testkit.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database with a witness for each test, and node processes that are gone after it. */
abstract class ChaosIT {
    /** Short enough to see leases end within a test. */
    static final Map<String, String> QUICK = Map.of(
            "worker.lease", "1500ms",
            "worker.renew", "300ms",
            "worker.sweep_interval", "200ms",
            "worker.concurrency", "8",
            "worker.drain_timeout", "8s",
            "leader.lease", "2s",
            "leader.renew", "500ms",
            "leader.check_interval", "500ms");

    /** -Dmuster.chaos.user_settings=true: tests of long kills run with the settings that a user gets. */
    static final boolean USER_SETTINGS = Boolean.getBoolean("muster.chaos.user_settings");

    static final List<String> JVM_OPTIONS = List.of(
            "-Dlogback.configurationFile=node-logback.xml", "-Dhikaricp.configurationFile=/node-hikari.properties");

    static final Duration SOON = Duration.ofSeconds(30);

    /** Within this time after a death others run what the dead node held, with the settings that the test was told to use. */
    static final Duration RECOVERY = Duration.ofSeconds(USER_SETTINGS ? 25 : 15);

    private final List<NodeProcess> processes = new ArrayList<>();
    TestDatabase database;
    Witness witness;
    Muster client;

    @BeforeEach
    void openDatabase() {
        database = TestDatabase.fromEnv();
        witness = new Witness(database.url()).prepare();
        client = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .build();
    }

    @AfterEach
    void closeAll() {
        closeProcesses();
        client.close();
        witness.close();
        database.close();
    }

    void closeProcesses() {
        processes.forEach(NodeProcess::close);
    }

    Jobs jobs() {
        return client.jobs();
    }

    /** Where the test's PostgreSQL listens. */
    int serverPort() {
        return URI.create(database.url().substring("jdbc:".length())).getPort();
    }

    /** Starts a node on the test's database and waits until it is up. */
    NodeProcess node(String id) {
        return node(id, Map.of());
    }

    NodeProcess node(String id, Map<String, String> settings) {
        return launch(id, settings).awaitReady();
    }

    /** Starts a node and does not wait for it. */
    NodeProcess launch(String id, Map<String, String> settings) {
        return launch(id, settings, Map.of());
    }

    /** Starts a node with the settings that a user gets, but for these, and does not wait for it. */
    NodeProcess launchWithDefaults(String id, Map<String, String> settings) {
        return launch(Map.of(), id, settings, Map.of());
    }

    /** Starts a node with quick leases, or with those that a user gets if the test was told so; does not wait for it. */
    NodeProcess launchAsTold(String id, Map<String, String> settings) {
        return USER_SETTINGS ? launchWithDefaults(id, settings) : launch(id, settings);
    }

    NodeProcess launch(String id, Map<String, String> settings, Map<String, String> environment) {
        return launch(QUICK, id, settings, environment);
    }

    private NodeProcess launch(
            Map<String, String> base, String id, Map<String, String> settings, Map<String, String> environment) {
        Map<String, String> all = new TreeMap<>(base);
        all.put("database.url", database.url());
        all.put("node.id", id);
        all.put("witness", database.url());
        all.putAll(settings);
        List<String> arguments = all.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .toList();
        NodeProcess process = NodeProcess.launch(NodeMain.class, JVM_OPTIONS, arguments, environment);
        processes.add(process);
        return process;
    }

    JobInfo job(JobId id) {
        return jobs().find(id).orElseThrow(() -> new AssertionError("there is no job " + id));
    }

    /** Waits for the job's end. */
    JobInfo ended(JobId id) {
        return await("end of job " + id)
                .atMost(SOON)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> job(id), info -> info.status().isTerminal());
    }

    /** Waits until all jobs have ended. If they do not, the failure says what is left. */
    void awaitAllEnded(Duration limit) {
        try {
            await("all jobs have ended")
                    .atMost(limit)
                    .until(() -> database.number("SELECT count(*) FROM muster_jobs") == 0);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + "\n" + new JobsLeft(database, processes).describe(), e);
        }
    }

    void awaitStatus(JobId id, JobStatus status) {
        await().atMost(SOON).pollInterval(Duration.ofMillis(5)).until(() -> job(id).status() == status);
    }

    /** Waits until the node has told the witness this about the job. */
    void awaitStep(JobId id, String node, String step) {
        await(node + " " + step)
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(witness.steps(id.value(), node)).contains(step));
    }

    /** How often the job's handler, or what stands around it, was entered. */
    long entries(JobId id) {
        return witness.effects(id.value()).stream()
                .filter(effect -> effect.step().equals("entered"))
                .count();
    }
}
