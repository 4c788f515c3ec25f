package dev.muster.engine;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database for each test, and nodes in this process that are closed after it. */
public abstract class EngineIT {
    /** Short enough to see leases end within a test. */
    protected static final Map<String, String> QUICK = Map.of(
            "worker.lease", "1500ms",
            "worker.renew", "300ms",
            "worker.sweep_interval", "200ms",
            "worker.drain_timeout", "5s",
            "leader.lease", "2s",
            "leader.renew", "500ms",
            "leader.check_interval", "500ms");

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

    /** A started node with these handlers and quick settings. */
    protected Muster node(Object... handlers) {
        return node(Map.of(), handlers);
    }

    protected Muster node(Map<String, String> settings, Object... handlers) {
        return start(builder(settings, handlers));
    }

    /** Starts this node; it is closed after the test. */
    protected Muster start(Muster.Builder builder) {
        Muster node = builder.build();
        nodes.add(node);
        node.start();
        return node;
    }

    protected Muster.Builder builder(Map<String, String> settings, Object... handlers) {
        MusterConfig config = MusterConfig.defaults()
                .with(QUICK)
                .with("node.id", "node-" + nodeNumber.incrementAndGet())
                .with(settings);
        Muster.Builder builder =
                Muster.builder().dataSource(database.dataSource()).config(config);
        for (Object handler : handlers) {
            builder.register(handler);
        }
        return builder;
    }

    protected static JobInfo ended(Muster node, JobId id) throws InterruptedException {
        JobInfo job = node.jobs().await(id, Duration.ofSeconds(20));
        if (!job.status().isTerminal()) {
            throw new AssertionError("job has not ended within 20 s: " + job);
        }
        return job;
    }
}
