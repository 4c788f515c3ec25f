package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.config.ConfigException;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What the annotation gives, and what is reported after a test. */
@MusterTest(settings = {"worker.lease=60s", "node.capabilities=gpu"})
class MusterTestIT {
    private Cluster before;

    @Job("of_the_test")
    String handler() {
        return "a test class can be a handler";
    }

    @BeforeEach
    void takesParametersToo(Cluster cluster) {
        before = cluster;
    }

    @Test
    void allPartsBelongTogether(
            Cluster cluster, Jobs jobs, Muster client, TestDatabase database, DataSource dataSource) {
        assertThat(cluster).isSameAs(before);
        assertThat(database).isSameAs(cluster.database());
        assertThat(dataSource).isSameAs(database.dataSource());

        client.jobs().enqueue("of_the_test", null);

        assertThat(jobs).enqueued("of_the_test").once();
        assertThat(cluster.runOne()).hasResult("a test class can be a handler");
    }

    @Test
    void settingsReachTheNodes(Cluster cluster, Jobs jobs) {
        Node gpu = cluster.node();

        assertThat(cluster.awaitEnded(jobs.enqueue(JobRequest.of("of_the_test").capability("gpu"))))
                .isCompleted()
                .ranOn(gpu);
    }

    @Nested
    class InANestedClass {
        @Test
        void theSameHolds(Cluster cluster, Jobs jobs) {
            assertThat(jobs).isEmpty();
            assertThat(cluster.run(JobRequest.of("of_the_test"))).isCompleted();
        }
    }

    @Test
    void aConnectionThatWasNotClosedIsReported() throws SQLException {
        try (TestDatabase database = TestDatabase.fromEnv()) {
            Cluster cluster = Cluster.on(database);
            Connection leaked = database.dataSource().getConnection();

            assertThatThrownBy(cluster::close).hasMessageContaining("1 connection");

            leaked.close();
        }
    }

    @Test
    void aHandlerThatDoesNotEndIsReported() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch mayLeave = new CountDownLatch(1);
        class UninterruptibleHandler {
            @Job("stubborn")
            void run() {
                entered.countDown();
                while (mayLeave.getCount() > 0) {
                    Thread.onSpinWait();
                }
            }
        }
        try (TestDatabase database = TestDatabase.fromEnv()) {
            Cluster cluster = Cluster.on(database, Map.of("worker.drain_timeout", "100ms"));
            cluster.node(new UninterruptibleHandler());
            cluster.jobs().enqueue("stubborn", null);
            entered.await();

            assertThatThrownBy(cluster::close).hasMessageContaining("the handler of job 'stubborn'");

            mayLeave.countDown();
        }
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        try (TestDatabase database = TestDatabase.fromEnv()) {
            assertThatThrownBy(() -> Cluster.on(database, Map.of("worker.leese", "2s")))
                    .isInstanceOf(ConfigException.class);
            assertThatThrownBy(() -> Cluster.on(database, Map.of("database.url", "jdbc:postgresql://elsewhere/")))
                    .hasMessageContaining("the database of a test is the test kit's");
        }
    }
}
