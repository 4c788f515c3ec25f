package dev.muster.examples.feature;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static java.time.temporal.ChronoUnit.HOURS;
import static org.awaitility.Awaitility.await;

import dev.muster.job.Jobs;
import dev.muster.schedule.Cron;
import dev.muster.schedule.Crons;
import dev.muster.schedule.Misfire;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What becomes of ticks that were missed because no node was there, in a test that moves the clock. */
@MusterTest(handlers = MisfireExampleIT.Reports.class)
class MisfireExampleIT {

    static final class Reports {
        @Cron("0 * * * *") // misfire = Misfire.FIRE_ONCE
        void once() {}

        @Cron(value = "0 * * * *", misfire = Misfire.SKIP)
        void never() {}

        @Cron(value = "0 * * * *", misfire = Misfire.CATCH_UP, catchUpLimit = 3)
        void lastThree() {}
    }

    @Test
    void tenHoursWithoutANode(Cluster cluster, Crons crons, Jobs jobs, FakeClock clock) {
        Node node = cluster.node();
        await().until(() ->
                crons.list().stream().allMatch(cron -> cron.nextTick().isPresent()));
        node.close();

        Instant later = cluster.now().truncatedTo(HOURS).plus(10, HOURS).plusSeconds(1_800);
        clock.advance(Duration.between(cluster.now(), later));
        cluster.node();

        assertThat(cluster.awaitEnqueued("last_three", 3)).hasSize(3);
        assertThat(cluster.awaitEnqueued("once", 1)).hasSize(1);
        assertThat(jobs).notEnqueued("never");
    }
}
