package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.EnqueueOutcomeUnknown;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A commit that succeeded and whose client never heard so. */
class LostAcknowledgementIT extends ChaosIT {
    private TcpProxy proxy;
    private HikariDataSource pool;
    private Muster remote;

    @BeforeEach
    void connectThroughProxy() {
        proxy = new TcpProxy(serverPort());
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(proxy.url(database.url()) + "&options=-c%20lock_timeout=300ms");
        config.setMinimumIdle(0);
        config.setConnectionTimeout(500);
        pool = new HikariDataSource(config);
        remote = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(pool)
                .build();
    }

    @AfterEach
    void disconnect() {
        remote.close();
        pool.close();
        proxy.close();
    }

    @Test
    void anEnqueueIsRepeatedAndMakesOneJob() {
        proxy.loseNextAcknowledgement();
        JobId id = remote.jobs().enqueue(request());

        assertThat(proxy.acknowledgementsLost()).isEqualTo(1);
        assertOnlyJob(id);
    }

    @Test
    void anEnqueueWithAKeyIsRepeatedAndMakesOneJob() {
        proxy.loseNextAcknowledgement();
        JobId id = remote.jobs().enqueue(request().key("order 42"));

        assertThat(proxy.acknowledgementsLost()).isEqualTo(1);
        assertOnlyJob(id);
        assertThat(remote.jobs().enqueue(request().key("order 42"))).isEqualTo(id);
    }

    @Test
    void aBatchIsRepeatedAsAWhole() {
        proxy.loseNextAcknowledgement();
        List<JobId> ids = remote.jobs()
                .enqueueAll(IntStream.range(0, 200).mapToObj(i -> request()).toList());

        assertThat(proxy.acknowledgementsLost()).isEqualTo(1);
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(database.column("SELECT id FROM muster_jobs"))
                .containsExactlyInAnyOrderElementsOf(
                        ids.stream().map(JobId::toString).toList());
    }

    @Test
    void anEnqueueWhoseFateStaysUnknownSaysSoAndCanBeRepeatedWithItsId() {
        JobId id = unknown(request());

        proxy.admit();
        assertThat(repeated(request().id(id))).isEqualTo(id);
        assertOnlyJob(id);
    }

    @Test
    void anEnqueueWhoseFateStaysUnknownCanBeRepeatedWithItsKey() {
        JobId id = unknown(request().key("order 42"));

        proxy.admit();
        assertThat(repeated(request().key("order 42"))).isEqualTo(id);
        assertOnlyJob(id);
    }

    /** The repetition finds the database, and is refused by it: that says nothing about the first try. */
    @Test
    void aFailedRepetitionLeavesTheFateUnknown() throws Exception {
        try (Connection locks = database.dataSource().getConnection();
                Statement statement = locks.createStatement()) {
            locks.setAutoCommit(false);
            proxy.loseNextAcknowledgement(() -> lockJobs(statement));
            EnqueueOutcomeUnknown thrown = catchThrowableOfType(
                    EnqueueOutcomeUnknown.class, () -> remote.jobs().enqueue(request()));
            locks.rollback();

            assertThat(thrown).as("what the caller was told").isNotNull();
            assertOnlyJob(thrown.ids().get(0));
        }
    }

    private static void lockJobs(Statement statement) {
        try {
            statement.execute("LOCK TABLE muster_jobs IN EXCLUSIVE MODE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void repeatingAnEnqueueThatHasRunMeanwhileRunsNothingAgain() {
        JobId id = unknown(request());
        startHere("a");
        JobInfo done = ended(id);

        proxy.admit();
        assertThat(repeated(request().id(id))).isEqualTo(id);
        assertThat(job(id)).isEqualTo(done);
        assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE id = '" + id + "'"))
                .isZero();
    }

    /** First of a job whose outcome the node writes, then of one that completes in its handler's own transaction. */
    @Test
    void aCompletionIsWrittenAgainOrFoundCommittedAndNotTakenForLost() {
        JobId id = jobs().enqueue(Probe.held(request(), "a"));
        // The node has nothing else to say that could be lost instead.
        NodeProcess node = node(
                "a",
                Map.of(
                        "database.url", proxy.url(database.url()),
                        "worker.concurrency", "1",
                        "worker.renew", "2m",
                        "worker.sweep_interval", "2m",
                        "cluster.heartbeat_interval", "30s",
                        "leader.renew", "20s"));
        awaitStep(id, "a", "entered");
        // Waiting work makes the exchange claim as it completes: those claims are unheard of, too.
        List<JobId> others = jobs().enqueueAll(IntStream.range(0, 20)
                .mapToObj(i -> Probe.watched(request()))
                .toList());
        proxy.loseNextAcknowledgement();
        witness.open(Probe.gateOf(id));

        assertCompletedOnce(id);
        others.forEach(this::assertCompletedOnce);
        assertThat(proxy.acknowledgementsLost()).isEqualTo(1);

        JobId own = jobs().enqueue(Probe.held(JobRequest.of("count", new Count("unheard", null)), "a"));
        awaitStep(own, "a", "entered");
        proxy.loseNextAcknowledgement();
        witness.open(Probe.gateOf(own));

        assertCompletedOnce(own);
        await().atMost(SOON).until(() -> witness.steps(own.value(), "a").size() == 2);
        assertThat(proxy.acknowledgementsLost()).isEqualTo(2);
        assertThat(database.column("SELECT key FROM example_counts")).containsExactly("unheard");
        assertThat(node.text()).doesNotContain("rejected").doesNotContain("claim lost");
    }

    private static JobRequest request() {
        return JobRequest.of("my_task", new MyTask("k"));
    }

    /** Enqueues so that the commit succeeds, nobody hears so, and nobody can be asked. */
    private JobId unknown(JobRequest request) {
        proxy.loseNextAcknowledgementAndRefuse();
        EnqueueOutcomeUnknown thrown = catchThrowableOfType(
                EnqueueOutcomeUnknown.class, () -> remote.jobs().enqueue(request));
        assertThat(thrown).as("what the caller was told").isNotNull();
        assertThat(thrown.ids()).hasSize(1);
        assertOnlyJob(thrown.ids().get(0));
        return thrown.ids().get(0);
    }

    /** The pool takes a moment to find the database again. */
    private JobId repeated(JobRequest request) {
        return await().atMost(SOON)
                .ignoreExceptionsInstanceOf(DatabaseUnavailable.class)
                .until(() -> remote.jobs().enqueue(request), id -> true);
    }

    private void assertOnlyJob(JobId id) {
        assertThat(database.column("SELECT id FROM muster_jobs")).containsExactly(id.toString());
    }

    private void assertCompletedOnce(JobId id) {
        JobInfo job = ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.crashes()).isZero();
        assertThat(entries(id)).isEqualTo(1);
    }
}
