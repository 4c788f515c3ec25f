package dev.muster.gateway.internal.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.PublishedFunction;
import dev.muster.testkit.FakeClock;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LoadsTest {
    private final FakeClock clock = new FakeClock();
    private final Loads loads = new Loads(clock);

    private static Candidate node(String id, int jobs) {
        return new Candidate(
                id,
                new UUID(1, 2),
                "127.0.0.1:1",
                InetSocketAddress.createUnresolved("127.0.0.1", 1),
                jobs,
                new PublishedFunction(
                        "f", "query", List.of(), Duration.ofSeconds(1), Optional.empty(), Optional.empty(), "void"));
    }

    private Set<String> chosen(Candidate... candidates) {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            ids.add(loads.choose(List.of(candidates)).id());
        }
        return ids;
    }

    @Test
    void ofTwoNodesTheOneWithLessToDoIsChosen() {
        assertThat(chosen(node("a", 0), node("b", 1))).containsExactly("a");
        loads.began("a");
        loads.began("a");
        assertThat(chosen(node("a", 0), node("b", 1))).containsExactly("b");
        loads.ended("a");
        loads.ended("a");
        assertThat(loads.callsOn("a")).isZero();
        assertThat(chosen(node("a", 0), node("b", 1))).containsExactly("a");
    }

    @Test
    void amongManyTheBusiestIsNeverChosenAndTheOthersAre() {
        assertThat(chosen(node("a", 0), node("b", 0), node("c", 9))).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aNodeThatDidNotTakeACallIsAvoidedForAWhile() {
        loads.avoid("a");
        assertThat(chosen(node("a", 0), node("b", 50))).containsExactly("b");
        assertThat(chosen(node("a", 0))).as("if there is no other").containsExactly("a");
        clock.advance(Duration.ofSeconds(5));
        assertThat(chosen(node("a", 0), node("b", 50))).containsExactly("a");
    }
}
