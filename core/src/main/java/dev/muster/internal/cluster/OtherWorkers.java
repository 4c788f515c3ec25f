package dev.muster.internal.cluster;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A worker may not join beside these other workers, because it or one of them has {@code worker.claiming = false}, which is for
 * a single worker. Some of the others may be dead without being declared dead yet: these send no heartbeat when asked.
 */
public final class OtherWorkers extends MusterException {
    private static final long serialVersionUID = 1L;

    private final transient List<Other> others;
    private final Instant firstAsked;

    /**
     * @param claiming {@code worker.claiming} of the node that may not join
     * @param firstAsked when the node first asked to join, by the database's clock
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

    /** When the node first asked to join, by the database's clock. */
    public Instant firstAsked() {
        return firstAsked;
    }

    /** Whether one of them has sent a heartbeat since the node first asked, and is not draining. */
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
     * One of the other workers.
     *
     * @param claiming its {@code worker.claiming}
     * @param leaving whether it is draining
     * @param answered whether it has sent a heartbeat since the node first asked
     */
    public record Other(String id, boolean claiming, boolean leaving, boolean answered, Duration silentFor) {}
}
