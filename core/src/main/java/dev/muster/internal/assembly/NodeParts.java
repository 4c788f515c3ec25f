package dev.muster.internal.assembly;

import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.node.DeadNode;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.NodePart.Phase;
import dev.muster.internal.recovery.DeadNodeRecovery.DeadNodeCleanup;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All parts of a node, in the order in which they start. {@link dev.muster.internal.node} says what holds for them. */
final class NodeParts implements DeadNodeCleanup {
    private static final Logger log = LoggerFactory.getLogger(NodeParts.class);

    private List<NodePart> parts = List.of();

    /** Adds parts behind those of the same phase. Called while the node is built, by one thread. */
    void add(List<NodePart> more) {
        List<NodePart> all = new ArrayList<>(parts);
        all.addAll(more);
        all.sort(Comparator.comparing(NodePart::phase));
        parts = List.copyOf(all);
    }

    void start() {
        parts.forEach(NodePart::start);
    }

    /**
     * Stops all parts.
     *
     * @param attempt runs a step; if a step fails, the next one runs all the same
     */
    void stop(Consumer<Runnable> attempt) {
        stop(attempt, part -> true);
    }

    /** Stops what this node does for the cluster as a whole. */
    void stopClusterWork(Consumer<Runnable> attempt) {
        stop(attempt, part -> part.phase() == Phase.CLUSTER);
    }

    private void stop(Consumer<Runnable> attempt, Predicate<NodePart> which) {
        List<NodePart> some = lastFirst().stream().filter(which).toList();
        some.forEach(part -> attempt.accept(part::prepareToStop));
        some.forEach(part -> attempt.accept(part::stop));
    }

    private List<NodePart> lastFirst() {
        List<NodePart> reversed = new ArrayList<>(parts);
        Collections.reverse(reversed);
        return reversed;
    }

    /** The worker comes first: its jobs may run elsewhere by now. */
    void suspend() {
        forEach("suspend", NodePart::suspend);
    }

    void resume() {
        forEach("resume", NodePart::resume);
    }

    /** Tells all parts, the worker first; what one part throws must not keep the others from being told. */
    private void forEach(String what, Consumer<NodePart> call) {
        for (NodePart part : lastFirst()) {
            try {
                call.accept(part);
            } catch (RuntimeException e) {
                log.warn("part={} failed to {}", part.name(), what, e);
            }
        }
    }

    /** Asks a part; one that throws counts as one that has nothing to say. */
    private static <T> T ask(NodePart part, Function<NodePart, T> question, T otherwise) {
        try {
            return question.apply(part);
        } catch (RuntimeException e) {
            log.warn("part={} failed to answer", part.name(), e);
            return otherwise;
        }
    }

    /** The health of each part; work comes first, because its problems are the ones that users feel. */
    List<Health> health() {
        return lastFirst().stream()
                .map(part -> ask(part, NodePart::health, Health.failing(part.name() + ": it cannot say how it is")))
                .toList();
    }

    Optional<String> whyNotReady() {
        return lastFirst().stream()
                .flatMap(part -> ask(part, NodePart::whyNotReady, Optional.<String>empty()).stream())
                .findFirst();
    }

    /** What certain parts say about their readiness, by name. */
    Map<String, Boolean> readiness() {
        Map<String, Boolean> all = new TreeMap<>();
        parts.forEach(part -> all.putAll(ask(part, NodePart::readiness, Map.of())));
        return all;
    }

    @Override
    public void due(Set<Duty> duties) {
        forEach("take up its duties", part -> part.due(duties));
    }

    boolean holdWork() {
        return parts.stream().anyMatch(part -> ask(part, NodePart::holdsWork, true));
    }

    /** @param limit for how long parts may be unable to do a leader's work */
    boolean areFitToLead(Duration limit) {
        return parts.stream()
                .allMatch(part ->
                        ask(part, NodePart::unfitToLeadFor, Duration.ZERO).compareTo(limit) <= 0);
    }

    @Override
    public void release(Connection tx, DeadNode node) throws SQLException {
        for (NodePart part : parts) {
            try {
                part.release(tx, node);
            } catch (MusterException e) {
                throw e;
            } catch (RuntimeException e) {
                // Recovery reports a MusterException and continues with the next node.
                throw new MusterException(
                        "part '" + part.name() + "' could not release what node " + node.id() + " held: " + e, e);
            }
        }
    }

    @Override
    public void released(DeadNode node) {
        forEach("continue after " + node.id() + " was declared dead", part -> part.released(node));
    }
}
