package dev.muster.engine;

import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database for each test, and nodes in this process that are closed after it. */
public abstract class EngineIT {
    /**
     * Leases so long that no node loses one because the machine is busy, and frequent looks. A test in which a node dies has time
     * pass in the database: {@link #timePasses}.
     */
    protected static final Map<String, String> STEADY = Map.of(
            "worker.lease", "60s",
            "worker.renew", "1s",
            "worker.sweep_interval", "200ms",
            "worker.drain_timeout", "5s",
            "leader.lease", "30s",
            "leader.renew", "2s",
            "leader.check_interval", "500ms",
            "cluster.dead_threshold", "60s");

    /** For a node that holds no claims itself: it takes back at once what others have left. */
    protected static final Map<String, String> SWEEPING = Map.of("worker.lease", "1500ms", "worker.renew", "300ms");

    /** Only a failing test waits for this long. */
    protected static final Duration PATIENCE = Duration.ofMinutes(3);

    private final List<Muster> nodes = new ArrayList<>();
    private final AtomicInteger nodeNumber = new AtomicInteger();
    protected TestDatabase database;

    @BeforeEach
    void openDatabase() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void closeAll() {
        nodes.forEach(Muster::close);
        database.close();
    }

    /** A started node with these handlers and steady leases. */
    protected Muster node(Object... handlers) {
        return node(Map.of(), handlers);
    }

    protected Muster node(Map<String, String> settings, Object... handlers) {
        return start(builder(settings, handlers));
    }

    /** Starts this node; it is closed after the test. */
    protected Muster start(MusterBuilder builder) {
        Muster node = builder.build();
        nodes.add(node);
        node.start();
        return node;
    }

    protected MusterBuilder builder(Map<String, String> settings, Object... handlers) {
        MusterConfig config = MusterConfig.defaults()
                .with(STEADY)
                .with("node.id", "node-" + nodeNumber.incrementAndGet())
                .with(settings);
        MusterBuilder builder =
                Muster.builder().dataSource(database.dataSource()).config(config);
        for (Object handler : handlers) {
            builder.register(handler);
        }
        return builder;
    }

    /**
     * Time passes for the database, and the leases of all nodes but these end: their claims are taken back, and others may lead and run
     * their daemons.
     */
    protected void timePasses(Duration by, Muster... healthy) {
        database.passTime(by, Stream.of(healthy).map(Muster::nodeId).toList());
    }

    /** Waits until the claim of this job has been renewed this many times. */
    protected void awaitRenewals(JobId id, int times) {
        for (int i = 0; i < times; i++) {
            String lease = leaseOf(id);
            await("a renewal of the claim of job " + id).until(() -> leaseOf(id).compareTo(lease) > 0);
        }
    }

    private String leaseOf(JobId id) {
        return database.column("SELECT max(lease_until)::text FROM (SELECT lease_until FROM muster_jobs WHERE id = '"
                        + id + "' UNION ALL SELECT lease_until FROM muster_claims WHERE '" + id + "' = ANY (ids)) l")
                .get(0);
    }

    protected static JobInfo ended(Muster node, JobId id) throws InterruptedException {
        JobInfo job = node.jobs().await(id, PATIENCE);
        if (!job.status().isTerminal()) {
            throw new AssertionError("job has not ended within " + PATIENCE + ": " + job);
        }
        return job;
    }
}
