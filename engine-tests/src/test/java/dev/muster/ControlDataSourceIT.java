package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.config.MusterConfig;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.leader.LeaderRole;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Periods;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A host's pool, and where the connection comes from that a node keeps. */
class ControlDataSourceIT extends EngineIT {
    private final HikariDataSource pool = new HikariDataSource();

    static final class Handlers {
        @Job("quick")
        void quick() {}
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private MusterBuilder onPoolOf(int size) {
        pool.setJdbcUrl(database.url());
        pool.setMaximumPoolSize(size);
        return builder(Map.of(), new Handlers()).dataSource(pool);
    }

    private PGSimpleDataSource server() {
        PGSimpleDataSource server = new PGSimpleDataSource();
        server.setUrl(database.url());
        return server;
    }

    private int inUse() {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withASourceOfItsOwnThePoolGetsAllItsConnectionsBack(int size) throws Exception {
        Muster node = start(onPoolOf(size).controlDataSource(server()));
        await().until(() -> node.leadership(LeaderRole.SCHEDULER).isLeader());
        List<JobId> jobs = IntStream.range(0, 20)
                .mapToObj(i -> node.jobs().enqueue(JobRequest.of("quick")))
                .toList();
        for (JobId id : jobs) {
            assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
        }
        await().until(() -> inUse() == 0);
    }

    @Test
    void withoutOneTheNodeKeepsAConnectionOfThePool() {
        start(onPoolOf(2));
        Periods.nothingHappensFor(
                Duration.ofSeconds(1), () -> assertThat(inUse()).isPositive());
    }

    @Test
    void aControlSourceWithoutAPoolIsRefused() {
        assertThatThrownBy(() -> Muster.builder()
                        .config(MusterConfig.defaults())
                        .database(database.url())
                        .controlDataSource(server())
                        .build())
                .isInstanceOf(MusterException.class)
                .hasMessage("controlDataSource(…) needs dataSource(…) too: with database.url Muster opens both itself");
    }
}
