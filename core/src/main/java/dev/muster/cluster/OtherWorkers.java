package dev.muster.cluster;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A worker may not join beside these others, because it or one of them runs with {@code worker.claiming = false}, which is for
 * a single worker. Some of them may be dead without anybody knowing yet: who is, answers no more.
 */
public final class OtherWorkers extends MusterException {
    private static final long serialVersionUID = 1L;

    private final transient List<Other> others;
    private final Instant firstAsked;

    /**
     * @param claiming {@code worker.claiming} of the node that may not join
     * @param firstAsked since when it has been asking, by the database's clock
     */
    public OtherWorkers(boolean claiming, List<Other> others, Instant firstAsked) {
        super(message(claiming, others));
        this.others = List.copyOf(others);
        this.firstAsked = firstAsked;
    }

    private static String message(boolean claiming, List<Other> others) {
        return claiming
                ? "no second worker may start beside one with worker.claiming = false, which these have: "
                        + names(others.stream()
                                .filter(other -> !other.claiming())
                                .toList())
                        + "; stop them, or set worker.claiming to true on all nodes"
                : "worker.claiming = false is for a single worker, but these are active: " + names(others)
                        + "; stop them, or set worker.claiming to true on all nodes";
    }

    private static String names(List<Other> others) {
        return others.stream().map(Other::id).collect(Collectors.joining(", "));
    }

    /** Since when the node has been asking whether it may join, by the database's clock. */
    public Instant firstAsked() {
        return firstAsked;
    }

    /** Whether one of them has been heard of since the node began to ask, and is not about to leave. */
    boolean stays() {
        return others.stream().anyMatch(other -> other.answered() && !other.leaving());
    }

    /** The others, with how long each has been silent. */
    String described() {
        return others.stream()
                .map(other -> other.id()
                        + (other.leaving()
                                ? " (draining)"
                                : " (last heard of " + other.silentFor().toMillis() + " ms ago)"))
                .collect(Collectors.joining(", "));
    }

    /**
     * One of them.
     *
     * @param claiming its {@code worker.claiming}
     * @param leaving it drains
     * @param answered it has sent a heartbeat since the node began to ask
     */
    public record Other(String id, boolean claiming, boolean leaving, boolean answered, Duration silentFor) {}
}
