package dev.muster.gateway.internal.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.NodeInfo;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FunctionNodesTest {
    private final FakeClock clock = new FakeClock();
    private volatile int reads;
    private volatile boolean away;
    private final FunctionNodes nodes = new FunctionNodes(this::read, clock);

    private List<NodeInfo> read() {
        reads++;
        if (away) {
            throw new DatabaseUnavailable("away", null);
        }
        return List.of();
    }

    @Test
    void nodesAreReadAgainAfterNewsAndAfterAFewSeconds() {
        nodes.now();
        nodes.now();
        assertThat(reads).isEqualTo(1);
        nodes.changed();
        nodes.now();
        nodes.now();
        assertThat(reads).isEqualTo(2);
        clock.advance(Duration.ofSeconds(3));
        nodes.now();
        assertThat(reads).isEqualTo(3);
    }

    @Test
    void withoutTheDatabaseCallsGoOnWithWhatIsKnown() {
        away = true;
        assertThatThrownBy(nodes::now).isInstanceOf(DatabaseUnavailable.class);
        away = false;
        List<NodeInfo> known = nodes.now();
        away = true;
        clock.advance(Duration.ofSeconds(3));

        assertThat(nodes.now()).isSameAs(known);
        int before = reads;
        assertThat(nodes.now()).isSameAs(known);
        assertThat(reads).as("the database is not asked by each call").isEqualTo(before);
    }

    @Test
    void oneCallReadsAndTheOthersDoNotWait() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        FunctionNodes slow = new FunctionNodes(
                () -> {
                    if (reads++ > 0) {
                        asked.countDown();
                        await(answer);
                    }
                    return List.of();
                },
                clock);
        List<NodeInfo> known = slow.now();
        slow.changed();
        CompletableFuture<List<NodeInfo>> reader = CompletableFuture.supplyAsync(slow::now);
        await(asked);

        assertThat(slow.now()).isSameAs(known);
        assertThat(reader).isNotDone();
        answer.countDown();
        reader.get(2, TimeUnit.MINUTES);
        assertThat(reads).isEqualTo(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
