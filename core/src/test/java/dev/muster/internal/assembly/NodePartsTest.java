package dev.muster.internal.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.node.DeadNode;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.node.NodePart;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NodePartsTest {
    private static final DeadNode DEAD = new DeadNode("gone", UUID.randomUUID());
    private static final Connection NONE = (Connection) Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> null);

    private final List<String> calls = new ArrayList<>();
    private final NodeParts parts = new NodeParts();

    /** A part that notes what it is told. */
    private final class Noting implements NodePart {
        private final String name;
        private final Phase phase;

        Noting(String name, Phase phase) {
            this.name = name;
            this.phase = phase;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Phase phase() {
            return phase;
        }

        @Override
        public void start() {
            calls.add("start " + name);
        }

        @Override
        public void prepareToStop() {
            calls.add("prepare " + name);
        }

        @Override
        public void stop() {
            calls.add("stop " + name);
        }

        @Override
        public void suspend() {
            calls.add("suspend " + name);
        }

        @Override
        public void resume() {
            calls.add("resume " + name);
        }

        @Override
        public void released(DeadNode node) {
            calls.add("released " + name);
        }
    }

    /** A part every method of which throws, except for those that say what it is. */
    private static NodePart broken(NodePart.Phase phase) {
        InvocationHandler handler = (proxy, method, args) -> switch (method.getName()) {
            case "name" -> "broken";
            case "phase" -> phase;
            default -> throw new IllegalStateException(method.getName());
        };
        return (NodePart)
                Proxy.newProxyInstance(NodePart.class.getClassLoader(), new Class<?>[] {NodePart.class}, handler);
    }

    @Test
    void partsStartByPhaseAndStopInTheReverseOrder() {
        parts.add(List.of(new Noting("daemons", NodePart.Phase.WORK), new Noting("crons", NodePart.Phase.CLUSTER)));
        parts.add(List.of(new Noting("publisher", NodePart.Phase.PREPARATION)));
        parts.add(List.of(new Noting("worker", NodePart.Phase.WORK)));

        parts.start();
        parts.stop(Runnable::run);

        assertThat(calls)
                .containsExactly(
                        "start publisher",
                        "start crons",
                        "start daemons",
                        "start worker",
                        "prepare worker",
                        "prepare daemons",
                        "prepare crons",
                        "prepare publisher",
                        "stop worker",
                        "stop daemons",
                        "stop crons",
                        "stop publisher");
    }

    @Test
    void aNodeThatLeadsNoMoreStopsOnlyWhatItDoesForTheCluster() {
        parts.add(List.of(new Noting("crons", NodePart.Phase.CLUSTER), new Noting("worker", NodePart.Phase.WORK)));

        parts.stopClusterWork(Runnable::run);

        assertThat(calls).containsExactly("prepare crons", "stop crons");
    }

    @Test
    void aPartThatThrowsDoesNotKeepTheOthersFromBeingToldOrAsked() {
        parts.add(List.of(broken(NodePart.Phase.PREPARATION), broken(NodePart.Phase.WORK)));
        parts.add(List.of(new Noting("worker", NodePart.Phase.WORK)));

        parts.suspend();
        parts.resume();
        parts.released(DEAD);
        parts.due(Set.of());

        assertThat(calls).containsExactly("suspend worker", "resume worker", "released worker");
        assertThat(parts.health()).contains(Health.OK).extracting(Health::ok).contains(false);
        assertThat(parts.readiness()).isEmpty();
        assertThat(parts.whyNotReady()).isEmpty();
        assertThat(parts.holdWork()).as("its heartbeats must not be late").isTrue();
        assertThat(parts.areFitToLead(Duration.ZERO)).isTrue();
    }

    @Test
    void aPartThatCannotReleaseIsNamed() {
        parts.add(List.of(broken(NodePart.Phase.CLUSTER)));

        assertThatThrownBy(() -> parts.release(NONE, DEAD))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("part 'broken' could not release what node gone held")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void kindsOfHandlersAreToldApartByTheirAnnotation() {
        HandlerKind<String> kind = new HandlerKind<>(Deprecated.class, method -> "one");
        HandlerKind<String> again = new HandlerKind<>(Deprecated.class, method -> "other");
        Handlers handlers = Handlers.NONE.with(kind, List.of("a")).with(again, List.of("b"));

        assertThat(handlers.of(again)).containsExactly("a", "b");
        assertThat(handlers.of(new HandlerKind<>(FunctionalInterface.class, method -> "none")))
                .isEmpty();
    }
}
