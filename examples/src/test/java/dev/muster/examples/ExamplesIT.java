package dev.muster.examples;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Caller;
import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.Hello;
import dev.muster.examples.Misbehaving.Flaky;
import dev.muster.examples.Orders.OrderArgs;
import dev.muster.function.FunctionCall;
import dev.muster.function.Functions;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Crons;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** Each example does what it says. */
@MusterTest(
        handlers = {
            Greetings.class,
            Orders.class,
            OrderDesk.class,
            Counts.class,
            Misbehaving.class,
            Catalog.class,
            Prices.class
        },
        settings = "worker.lease=60s")
class ExamplesIT {

    @Test
    void helloGreets(Cluster cluster) {
        assertThat(cluster.run(Greetings.HELLO, new Hello("Ada")).greeting()).isEqualTo("Hello, Ada!");
    }

    @Test
    void anOrderIsProcessed(Cluster cluster) {
        assertThat(cluster.run(Orders.PROCESS_ORDER, new OrderArgs(42)).status())
                .isEqualTo("processed");
    }

    @Test
    void anOrderIsPlacedOnceAndCanBeAskedFor(Cluster cluster, Functions functions) {
        FunctionCall place = new FunctionCall("place_order", "{\"order_id\":42}", Caller.program("test"), "r-1");
        String job = functions.call(place).json();

        assertThat(cluster.drain())
                .singleElement()
                .satisfies(ran -> assertThat(ran).isCompleted());
        assertThat(functions
                        .call(new FunctionCall("order", "{\"order_id\":42}", Caller.program("test"), "r-2"))
                        .json())
                .isEqualTo("{\"order_id\":42,\"job\":" + job + "}");
        assertThatThrownBy(() -> functions.call(place)).hasMessage("order 42 was placed before");
        assertThat(cluster.drain()).isEmpty();
    }

    @Test
    void flakySucceedsInTheEnd(Cluster cluster) {
        JobInfo job = cluster.awaitEnded(cluster.node().jobs().enqueue("flaky", new Flaky(2)));

        assertThat(job).isCompleted();
        assertThat(job.attempt()).isEqualTo(3);
    }

    @Test
    void failBecomesADeadLetter(Cluster cluster) {
        JobInfo job = cluster.awaitEnded(cluster.node().jobs().enqueue(JobRequest.of("fail")));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job).failedWith("this job always fails");
    }

    @Test
    void countLeavesExactlyOneRow(Cluster cluster, TestDatabase database) {
        JobInfo job = cluster.awaitEnded(cluster.node().jobs().enqueue("count", new Count("x", null)));

        assertThat(job).isCompleted();
        assertThat(database.number("SELECT count(*) FROM example_counts WHERE key = 'x'"))
                .isEqualTo(1);
    }

    @Test
    void thePriceMovesAndIsReportedEveryHour(Cluster cluster, TestDatabase database, FakeClock clock, Crons crons) {
        cluster.node();
        patiently()
                .until(() -> database.number("SELECT count(*) FROM pg_class WHERE relname = 'example_price'") == 1
                        && database.number("SELECT count(*) FROM example_price WHERE token > 0") == 1);
        Instant next = patiently()
                .until(() -> crons.find("hourly_report").flatMap(CronInfo::nextTick), Optional::isPresent)
                .orElseThrow();

        clock.advance(Duration.between(cluster.now(), next).plusMinutes(1));

        patiently().until(() -> database.number("SELECT count(*) FROM example_reports") == 1);
        assertThat(database.column("SELECT extract(minute FROM tick) FROM example_reports"))
                .containsExactly("0");
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(1));
    }
}
