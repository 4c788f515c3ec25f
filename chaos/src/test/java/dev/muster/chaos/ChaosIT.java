package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
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
import java.util.function.Supplier;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database with a witness for each test, and node processes that are gone after it. */
abstract class ChaosIT {
    /**
     * Leases and thresholds that no busy machine exceeds; {@link LostLeases} lets those of a victim end. Nodes look around so often that
     * nothing has to be waited for.
     */
    static final Map<String, String> CALM = Map.ofEntries(
            Map.entry("worker.lease", "10m"),
            Map.entry("worker.renew", "500ms"),
            Map.entry("worker.sweep_interval", "200ms"),
            Map.entry("worker.claimed_timeout", "10m"),
            Map.entry("worker.max_poll_interval", "500ms"),
            Map.entry("worker.concurrency", "8"),
            Map.entry("worker.drain_timeout", "1m"),
            Map.entry("cluster.heartbeat_interval", "1s"),
            Map.entry("cluster.stale_threshold", "1m"),
            Map.entry("cluster.dead_threshold", "2m"),
            Map.entry("leader.lease", "1m"),
            Map.entry("leader.renew", "1s"),
            Map.entry("leader.check_interval", "500ms"));

    static final List<String> JVM_OPTIONS = List.of(
            "-Dlogback.configurationFile=node-logback.xml", "-Dhikaricp.configurationFile=/node-hikari.properties");

    /** Only a failing test waits for so long. */
    static final Duration SOON = Duration.ofSeconds(90);

    private final List<NodeProcess> processes = new ArrayList<>();
    private final List<Muster> nodesHere = new ArrayList<>();
    private final List<Witness> witnesses = new ArrayList<>();
    private final List<HikariDataSource> pools = new ArrayList<>();
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
        nodesHere.forEach(Muster::close);
        pools.forEach(HikariDataSource::close);
        witnesses.forEach(Witness::close);
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
        return launchWithDefaults(id, settings, Map.of());
    }

    NodeProcess launchWithDefaults(String id, Map<String, String> settings, Map<String, String> environment) {
        return launch(Map.of(), id, settings, environment);
    }

    NodeProcess launch(String id, Map<String, String> settings, Map<String, String> environment) {
        return launch(CALM, id, settings, environment);
    }

    /** Builds a node in this JVM, for those that nobody kills. It is closed after the test. */
    Muster nodeHere(String id, Map<String, String> more) {
        Map<String, String> settings = new TreeMap<>(CALM);
        settings.put("database.url", database.url());
        settings.put("node.id", id);
        settings.putAll(more);
        String name = settings.remove("app");
        MusterApp app = name == null ? new Work() : NodeMain.application(name);
        MusterConfig config = MusterConfig.defaults().with(settings);
        HikariDataSource pool = NodeMain.connections(config.database());
        pools.add(pool);
        Witness own = new Witness(database.url());
        witnesses.add(own);
        MusterBuilder builder = Muster.builder().config(config).interceptor(new Probe(own));
        NodeMain.register(app, builder, pool, id, settings.get("database.url"));
        Muster node = builder.build();
        nodesHere.add(node);
        return node;
    }

    /** Starts a node in this JVM. */
    Muster startHere(String id, Map<String, String> settings) {
        Muster node = nodeHere(id, settings);
        node.start();
        return node;
    }

    Muster startHere(String id) {
        return startHere(id, Map.of());
    }

    /** The leases of these nodes have ended, and their jobs are free, whether or not another node is there. */
    void loses(String... nodes) {
        new LostLeases(database).end(nodes);
    }

    /** The leases of these nodes have ended, and others that are up have taken their jobs back. */
    void losesToOthers(String... nodes) {
        new LostLeases(database).endBesideOthers(SOON, nodes);
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
        TrainedNode.launched();
        NodeProcess process = NodeProcess.launch(NodeMain.class, JVM_OPTIONS, arguments, environment);
        processes.add(process);
        return process;
    }

    JobInfo job(JobId id) {
        return jobs().find(id).orElseThrow(() -> new AssertionError("there is no job " + id));
    }

    /** Waits for the job's end. If it does not come, the failure says what is left. */
    JobInfo ended(JobId id) {
        return orJobsLeft(() -> await("end of job " + id)
                .atMost(SOON)
                .until(() -> job(id), info -> info.status().isTerminal()));
    }

    /** Waits until all jobs have ended. If they do not, the failure says what is left. */
    void awaitAllEnded(Duration limit) {
        orJobsLeft(() -> await("all jobs have ended")
                .atMost(limit)
                .until(() -> database.number("SELECT count(*) FROM muster_jobs"), left -> left == 0));
    }

    private <T> T orJobsLeft(Supplier<T> wait) {
        try {
            return wait.get();
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + "\n" + new JobsLeft(database, processes).describe(), e);
        }
    }

    void awaitStatus(JobId id, JobStatus status) {
        await().atMost(SOON).until(() -> job(id).status() == status);
    }

    /** Waits until the node has told the witness this about the job. */
    void awaitStep(JobId id, String node, String step) {
        await(node + " " + step)
                .atMost(SOON)
                .untilAsserted(() -> assertThat(witness.steps(id.value(), node)).contains(step));
    }

    /** How often the job's handler, or what stands around it, was entered. */
    long entries(JobId id) {
        return witness.effects(id.value()).stream()
                .filter(effect -> effect.step().equals("entered"))
                .count();
    }
}
