package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WakeOrderTest {
    private static final Set<Lane> LANES = Set.of(new Lane("default", ""));

    @Test
    void ofAHundredIdleNodesTwoGoAtOnceAndAFewFollowOneAfterTheOther() {
        List<String> nodes = IntStream.range(0, 100).mapToObj(i -> "node-" + i).toList();
        Set<String> everAtOnce = new HashSet<>();
        for (long moment = 0; moment < 500; moment++) {
            List<Duration> turns = new ArrayList<>();
            for (String node : nodes) {
                Optional<Duration> turn = new WakeOrder(node).of(LANES, nodes, moment * 20_000);
                turn.ifPresent(turns::add);
                if (turn.filter(Duration::isZero).isPresent()) {
                    everAtOnce.add(node);
                }
            }
            turns.sort(null);
            assertThat(turns)
                    .containsExactly(
                            Duration.ZERO,
                            Duration.ZERO,
                            Duration.ofMillis(35),
                            Duration.ofMillis(70),
                            Duration.ofMillis(105),
                            Duration.ofMillis(140));
        }
        assertThat(everAtOnce).as("it is everybody's turn sooner or later").containsAll(nodes);
    }

    @Test
    void oneOfTwoNodesNeverWaits() {
        for (long moment = 0; moment < 100; moment++) {
            assertThat(new WakeOrder("a").of(LANES, List.of("a", "b"), moment * 20_000))
                    .contains(Duration.ZERO);
            assertThat(new WakeOrder("a").of(LANES, List.of(), moment * 20_000)).contains(Duration.ZERO);
        }
    }
}
