package dev.muster.engine;

import dev.muster.testkit.Cluster;
import dev.muster.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database and a cluster with the default settings for each test. */
public abstract class ClusterIT {
    protected TestDatabase database;
    protected Cluster cluster;

    @BeforeEach
    void openCluster() throws SQLException {
        database = TestDatabase.fromEnv();
        cluster = Cluster.on(database, Map.of());
        cluster.client();
    }

    @AfterEach
    void closeCluster() {
        cluster.close();
        database.close();
    }
}
