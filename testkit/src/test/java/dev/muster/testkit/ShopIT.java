package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.Shop.PLACE_ORDER;
import static java.time.Duration.ofMinutes;

import dev.muster.job.Jobs;
import dev.muster.testkit.Shop.Order;
import dev.muster.testkit.Shop.Receipt;
import org.junit.jupiter.api.Test;

@MusterTest(handlers = Shop.class)
class ShopIT {
    @Test
    void aReceiptFollowsFiveMinutesAfterTheOrder(Cluster cluster, Jobs jobs, FakeClock clock) {
        assertThat(cluster.run(PLACE_ORDER, new Order(42))).isEqualTo("placed");

        assertThat(jobs).enqueued("send_receipt").withArgs(new Receipt(42)).dueIn(ofMinutes(5));

        clock.advance(ofMinutes(5));
        assertThat(cluster.runOne()).isCompleted().hasResult("sent");
    }
}
