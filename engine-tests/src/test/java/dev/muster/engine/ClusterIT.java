package dev.muster.engine;

import dev.muster.testkit.Cluster;
import dev.muster.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database and a cluster for each test. Time passes in it with {@code cluster.clock().advance}. */
public abstract class ClusterIT {
    /** So long that no node loses a lease because the machine is busy. */
    protected static final Map<String, String> STEADY = Map.of("worker.lease", "60s", "worker.renew", "1s");

    /** Only a failing test waits for this long. */
    protected static final Duration PATIENCE = Duration.ofMinutes(3);

    protected TestDatabase database;
    protected Cluster cluster;

    @BeforeEach
    void openCluster() throws SQLException {
        database = TestDatabase.fromEnv();
        cluster = Cluster.on(database, STEADY);
        cluster.client();
    }

    @AfterEach
    void closeCluster() {
        cluster.close();
        database.close();
    }
}
