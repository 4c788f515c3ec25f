package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;
import static dev.muster.testkit.Shop.FLAKY;
import static dev.muster.testkit.Shop.PLACE_ORDER;
import static dev.muster.testkit.Shop.SEND_RECEIPT;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;

import dev.muster.job.BackoffPolicy;
import dev.muster.job.ClaimLost;
import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.Queues;
import dev.muster.job.RetryPolicy;
import dev.muster.testkit.Shop.Order;
import dev.muster.testkit.Shop.Receipt;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Jobs on the test's own thread. */
@MusterTest(handlers = Shop.class, settings = "worker.lease=60s")
class DrainIT {

    @Test
    void everythingDueRunsByPriorityThenInTurn(Cluster cluster, Jobs jobs, Shop shop) {
        jobs.enqueueAll(List.of(
                JobRequest.of(SEND_RECEIPT, new Receipt(1)),
                JobRequest.of(SEND_RECEIPT, new Receipt(2)),
                JobRequest.of(SEND_RECEIPT, new Receipt(3)).priority(Priority.HIGH),
                JobRequest.of(SEND_RECEIPT, new Receipt(4)).queue("another")));

        List<JobInfo> ran = cluster.drain();

        assertThat(ran).hasSize(4);
        assertThat(shop.log)
                .startsWith("receipt 3")
                .contains("receipt 4")
                .containsSubsequence("receipt 1", "receipt 2");
    }

    @Test
    void whatIsNotDueStays(Cluster cluster, Jobs jobs, Shop shop, FakeClock clock) {
        jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).delay(ofHours(1)));

        assertThat(cluster.drain()).isEmpty();

        clock.advance(ofMinutes(59));
        assertThat(cluster.drain()).isEmpty();
        clock.advance(ofMinutes(1));
        assertThat(cluster.drain()).hasSize(1);
        assertThat(shop.log).containsExactly("receipt 1");
    }

    @Test
    void aRetryComesAfterItsBackoff(Cluster cluster, Jobs jobs, FakeClock clock) {
        JobId id = jobs.enqueue(FLAKY, new Order(3));

        assertThat(cluster.runOne()).isPending().hasAttempt(1).hasError("attempt 1 is too early");

        clock.advance(ofMinutes(1));
        assertThat(cluster.runOne()).isPending().hasAttempt(2);
        clock.advance(ofMinutes(1));
        assertThat(cluster.drain()).isEmpty();
        clock.advance(ofMinutes(1));
        assertThat(cluster.runOne()).isCompleted().hasResult(3);
        assertThat(jobs).job(id).isCompleted();
    }

    @Test
    void fastForwardSkipsTheWaits(Cluster cluster, Jobs jobs, Shop shop) {
        jobs.enqueue(PLACE_ORDER, new Order(1));
        JobId flaky = jobs.enqueue(FLAKY, new Order(3));
        JobId tomorrow =
                jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(9)).delay(ofHours(24)));

        cluster.fastForward(ofHours(1));

        assertThat(shop.log).contains("receipt 1").doesNotContain("receipt 9");
        assertThat(jobs).job(flaky).isCompleted();
        assertThat(jobs).job(tomorrow).isPending();
    }

    @Test
    void timeCanBeMovedByWeeks(Cluster cluster, Jobs jobs, FakeClock clock) {
        JobId id = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).delay(ofHours(24 * 60)));

        clock.advance(ofHours(24 * 60));
        cluster.drain();

        assertThat(jobs).job(id).isCompleted();
    }

    @Test
    void aJobThatKeepsFailingBecomesADeadLetter(Cluster cluster, Jobs jobs) {
        JobInfo job = cluster.run(JobRequest.of(FLAKY, new Order(99)));

        assertThat(job).failedWith("attempt 3 is too early").hasAttempt(3);
        assertThat(jobs.retry(job.id())).isTrue();
        assertThat(cluster.runOne()).isPending().hasAttempt(1);
    }

    @Test
    void someFailuresAreFinal(Cluster cluster) {
        assertThat(cluster.run(JobRequest.of("picky"))).failedWith("never").hasAttempt(1);
    }

    @Test
    void runReturnsTheResultOrSaysWhyThereIsNone(Cluster cluster) {
        assertThat(cluster.run(FLAKY, new Order(2))).isEqualTo(2);
        assertThatThrownBy(() -> cluster.run(FLAKY, new Order(9)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("did not complete")
                .hasMessageContaining("attempt 3 is too early");
    }

    @Test
    void aJobThatNobodyHereCanRunIsNamed(Cluster cluster, Jobs jobs) {
        JobId id = jobs.enqueue(JobType.of("elsewhere", Order.class, Void.class), new Order(1));

        assertThatThrownBy(cluster::drain)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("elsewhere " + id)
                .hasMessageContaining("no handler");
    }

    @Test
    void withNothingDueRunOneSaysWhatThereIs(Cluster cluster, Jobs jobs) {
        jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).delay(ofHours(1)));

        assertThatThrownBy(cluster::runOne)
                .hasMessageContaining("no due job")
                .hasMessageContaining("send_receipt")
                .hasMessageMatching("(?s).*due in PT5\\dM.*");
    }

    @Test
    void jobsWithoutEndAreCutOff(Cluster cluster, Jobs jobs) {
        jobs.enqueue("again", null);

        assertThatThrownBy(() -> cluster.drain(20)).hasMessageContaining("gave up after 20 runs");
    }

    @Test
    void aJobThatNeedsACapabilityRunsToo(Cluster cluster, Jobs jobs) {
        jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).capability("gpu"));

        assertThat(cluster.runOne()).isCompleted();
    }

    @Test
    void anEnqueueCommitsWithTheCallersTransaction(Cluster cluster, Jobs jobs, DataSource dataSource)
            throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            jobs.in(connection).enqueue(SEND_RECEIPT, new Receipt(1));
            connection.rollback();
            assertThat(jobs).isEmpty();

            jobs.in(connection).enqueue(SEND_RECEIPT, new Receipt(2));
            connection.commit();
        }

        assertThat(cluster.drain()).hasSize(1);
    }

    @Test
    void completeInCommitsOrFailsWithItsTransaction(Cluster cluster, DataSource dataSource, TestDatabase database) {
        database.execute("CREATE TABLE effects (job text)");
        cluster.register(handler("commits", (ctx, args) -> inTransaction(dataSource, ctx, true)));
        cluster.register(handler("rolls_back", (ctx, args) -> inTransaction(dataSource, ctx, false)));

        assertThat(cluster.run(JobRequest.of("commits"))).isCompleted().hasResult("in transaction");
        assertThat(cluster.run(JobRequest.of("rolls_back"))).failedWith("completeIn was not committed");
        assertThat(database.column("SELECT job FROM effects")).containsExactly("commits");
    }

    @Test
    void handlersCanUseAConnectionOfMuster(Cluster cluster, TestDatabase database) {
        database.execute("CREATE TABLE effects (job text)");
        cluster.register(handler("writes", (ctx, args) -> {
            try (Connection connection = ctx.connection();
                    Statement statement = connection.createStatement()) {
                return statement.executeUpdate("INSERT INTO effects VALUES ('" + ctx.nodeId() + "')");
            }
        }));
        assertThat(cluster.run(JobRequest.of("writes"))).isCompleted().hasResult(1);
        cluster.node();
        assertThat(cluster.awaitEnded(cluster.jobs().enqueue(JobRequest.of("writes"))))
                .isCompleted();
        assertThat(database.column("SELECT job FROM effects")).containsExactlyInAnyOrder("test-thread", "node-1");
    }

    private static String inTransaction(DataSource dataSource, JobContext ctx, boolean commit) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO effects VALUES ('" + ctx.name() + "')");
            }
            ctx.completeIn(connection, "in transaction");
            if (commit) {
                connection.commit();
            } else {
                connection.rollback();
            }
        }
        return "ignored";
    }

    private static JobHandler handler(String name, JobHandler.Body body) {
        return new JobHandler(name, new Lane("default", ""), Priority.NORMAL, BackoffPolicy.DEFAULT, null, null, body);
    }

    @Test
    void interceptorsWrapEnqueueAndRun(Cluster cluster) {
        cluster.intercept(new JobInterceptor() {
            @Override
            public JobRequest enqueue(JobRequest request) {
                return request.metadata("tenant", "acme");
            }
        });
        cluster.register(handler("tenant", (ctx, args) -> ctx.metadata().get("tenant")));

        assertThat(cluster.run(JobRequest.of("tenant"))).hasResult("acme");
    }

    @Test
    void theDatabasesPresentIsWhatTheTestSays(Cluster cluster, FakeClock clock) {
        long begin = System.nanoTime();
        var before = cluster.now();

        clock.advance(ofHours(24 * 365));

        var after = cluster.now();
        var passed = ofNanos(System.nanoTime() - begin);
        assertThat(after)
                .isBetween(
                        before.plus(ofHours(24 * 365)),
                        before.plus(ofHours(24 * 365)).plus(passed).plus(ofSeconds(1)));
        assertThatThrownBy(() -> clock.advance(ofSeconds(-1))).hasMessageContaining("time does not go back");
    }

    @Test
    void aSnoozeCostsNoAttempt(Cluster cluster, Jobs jobs, FakeClock clock) {
        cluster.register(handler("snoozer", (ctx, args) -> {
            if (cluster.now()
                    .isBefore(jobs.find(ctx.id()).orElseThrow().createdAt().plus(ofHours(1)))) {
                throw ctx.snooze(ofHours(1));
            }
            return ctx.attempt();
        }));
        jobs.enqueue("snoozer", null);

        assertThat(cluster.runOne()).isPending().hasAttempt(0);

        clock.advance(ofHours(1));
        assertThat(cluster.runOne()).isCompleted().hasResult(1);
    }

    /** A node would leave the job to the node that has it now. */
    @Test
    void aJobWhoseHandlerFindsItsClaimLostHasNoOutcome(Cluster cluster, Jobs jobs) {
        cluster.register(handler("loses", (ctx, args) -> {
            throw new ClaimLost(ctx.id());
        }));
        JobId id = jobs.enqueue("loses", null);

        assertThatThrownBy(cluster::drain).hasMessageContaining("loses " + id + ": running by test-thread");
    }

    @Test
    void dependentsFollowInTheSameDrain(Cluster cluster, Jobs jobs, Shop shop) {
        JobId parent = jobs.enqueue(SEND_RECEIPT, new Receipt(1));
        JobId child = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(2)).dependsOn(parent));
        JobId picky = jobs.enqueue("picky", null);
        JobId orphan = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(3)).dependsOn(picky));

        cluster.drain();

        assertThat(shop.log).contains("receipt 1", "receipt 2").doesNotContain("receipt 3");
        assertThat(jobs).job(child).isCompleted();
        assertThat(jobs).job(orphan).isCancelled();
    }

    @Test
    void whatExpiredIsNotRun(Cluster cluster, Jobs jobs, FakeClock clock) {
        JobId id = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).expiresIn(ofMinutes(5)));

        clock.advance(ofMinutes(6));

        assertThat(cluster.drain()).isEmpty();
        assertThat(jobs).job(id).hasStatus(JobStatus.EXPIRED);
    }

    @Test
    void progressAndLogLinesAreKept(Cluster cluster, Jobs jobs, TestDatabase database) {
        cluster.register(handler("talks", (ctx, args) -> {
            ctx.progress(50, "half way");
            ctx.log().info("hello");
            assertThat(jobs.find(ctx.id()).orElseThrow().progress()).isPresent();
            return null;
        }));

        assertThat(cluster.run(JobRequest.of("talks"))).isCompleted();
        assertThat(database.column("SELECT message FROM muster_job_logs")).containsExactly("hello");
    }

    @Test
    void aPausedQueueIsLeftAlone(Cluster cluster, Jobs jobs, Queues queues) {
        jobs.enqueue(SEND_RECEIPT, new Receipt(1));
        queues.pause("default");

        assertThat(cluster.drain()).isEmpty();
        assertThatThrownBy(cluster::runOne).hasMessageContaining("its queue is paused");

        queues.resume("default");
        assertThat(cluster.drain()).hasSize(1);
    }

    @Test
    void handlersEnqueueDelayTheirRetryAndListenersHearOfIt(Cluster cluster, Jobs jobs) {
        List<String> told = new ArrayList<>();
        cluster.listen(new JobListener() {
            @Override
            public void attemptFailed(FailedAttempt event) {
                told.add("attempt " + event.attempt() + ", again in " + event.retryIn());
            }

            @Override
            public void deadLetter(DeadLetter event) {
                told.add("dead letter " + event.id());
            }

            @Override
            public void expired(ExpiredJob event) {
                told.add("expired " + event.id());
            }
        });
        cluster.register(
                JobHandler.named("child").run((ctx, none) -> {}),
                JobHandler.named("busy").retry(RetryPolicy.attempts(2)).run((ctx, none) -> {
                    ctx.jobs().enqueue(JobRequest.of("child").key("of-busy"));
                    throw ctx.retryIn(ofMinutes(7), "429");
                }));
        JobId id = jobs.enqueue("busy", null);
        JobId late = jobs.enqueue(JobRequest.of("child").delay(ofHours(2)).expiresIn(ofHours(1)));

        assertThat(cluster.drain()).hasSize(2);
        assertThat(cluster.fastForward(ofMinutes(6))).isEmpty();
        assertThat(cluster.fastForward(ofMinutes(7))).hasSize(1);
        cluster.clock().advance(ofHours(1));
        cluster.drain();

        assertThat(jobs).job(id).failedWith("429").hasAttempt(2);
        assertThat(told).containsExactly("attempt 1, again in PT7M", "dead letter " + id, "expired " + late);
    }

    @Nested
    @MusterTest(handlers = Shop.class, settings = "encryption.keys=k1=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    class Encrypted {
        @Test
        void argsAreOpenedAndResultsSealedAsOnANode(Cluster cluster, TestDatabase database) {
            JobId id = cluster.run(JobRequest.of(PLACE_ORDER, new Order(7))).id();
            assertThat(cluster.jobs()).job(id).isCompleted();
            assertThat(database.column("SELECT args ->> '$muster' FROM muster_job_history"))
                    .containsExactly("aes-gcm-1");
        }
    }

    @Test
    void aClusterIsNotIdleBetweenAJobAndTheOneThatDependsOnIt(Cluster cluster, Jobs jobs) {
        cluster.node();
        for (int round = 0; round < 3; round++) {
            JobId last = jobs.enqueue(SEND_RECEIPT, new Receipt(0));
            for (int i = 1; i < 12; i++) {
                last = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(i)).dependsOn(last));
            }
            cluster.awaitIdle();
            assertThat(jobs).job(last).isCompleted();
        }
    }
}
