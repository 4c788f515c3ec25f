package dev.muster.examples.feature;

import static dev.muster.examples.feature.Orders.PLACE_ORDER;
import static dev.muster.testkit.MusterAssertions.assertThat;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.muster.examples.feature.Orders.Order;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import org.junit.jupiter.api.Test;

/** Tests with a database: each test gets an empty one, a clock that it moves, and nodes that it can hurt. */
@MusterTest(handlers = Orders.class)
class MusterTestExampleIT {

    @Test
    void theReceiptIsSentFiveMinutesLater(Cluster cluster, Jobs jobs, FakeClock clock) {
        jobs.enqueue(PLACE_ORDER, new Order(42));
        assertThat(cluster.drain()).extracting(JobInfo::name).containsExactly("place_order");

        clock.advance(ofMinutes(5));
        assertThat(cluster.drain()).extracting(JobInfo::name).containsExactly("send_receipt");
    }

    @Test
    void aReceiptOfNoOrderIsADeadLetter(Cluster cluster, Jobs jobs) {
        JobId id = jobs.enqueue("send_receipt", new Order(-1));
        cluster.fastForward(ofHours(1)); // runs the job, moves to its next attempt, runs it again, …
        assertThat(jobs).job(id).failedWith("there is no order -1").hasAttempt(3);
    }

    @Test
    void anOrderIsPlacedAlthoughANodeDies(Cluster cluster, Jobs jobs, FakeClock clock) {
        Node node = cluster.node();
        JobId id = jobs.enqueue(JobRequest.of(PLACE_ORDER, new Order(42)));
        node.crash();
        cluster.node();
        clock.advance(ofSeconds(4)); // ends the lease of the node that died
        assertThat(cluster.awaitEnded(id)).isCompleted();
    }
}
