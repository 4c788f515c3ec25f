package dev.muster.contracts.internal;

import dev.muster.cluster.PublishedFunction;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.internal.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.cluster.NodeStore.Routes;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.job.JobHandler;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Nodes for tests: how they register, and what they tell with a heartbeat. */
public final class Nodes {
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration INTERVAL = Duration.ofSeconds(5);

    private Nodes() {}

    /** A node without handlers. */
    public static Registration registration(String id, UUID incarnation) {
        return registration(id, incarnation, List.of(), true);
    }

    /** What all of these nodes publish. */
    static final List<PublishedFunction> FUNCTIONS = List.of(
            new PublishedFunction(
                    "open_orders",
                    "query",
                    List.of(),
                    Duration.ofSeconds(30),
                    Optional.empty(),
                    Optional.empty(),
                    "List<Order>"),
            new PublishedFunction(
                    "place_order",
                    "mutation",
                    List.of("buyer", "the \"seller\""),
                    Duration.ofMillis(1_500),
                    Optional.of("10 per 1m, key USER"),
                    Optional.of("Order"),
                    "void"));

    /**
     * A worker: a node with a handler, of job "a".
     *
     * @param claiming false: a worker beside which there may be no other
     */
    static Registration worker(String id, boolean claiming) {
        JobHandler handler = JobHandler.named("a").run((context, none) -> {});
        return registration(id, UUID.randomUUID(), List.of(handler), claiming);
    }

    /** A node with this handler. */
    static Registration worker(String id, JobHandler handler) {
        return registration(id, UUID.randomUUID(), List.of(handler), true);
    }

    /** A node with handlers of these names. */
    static Registration worker(String id, List<String> names) {
        List<JobHandler> handlers = names.stream()
                .map(name -> JobHandler.named(name).run((context, none) -> {}))
                .toList();
        return registration(id, UUID.randomUUID(), handlers, true);
    }

    private static Registration registration(String id, UUID incarnation, List<JobHandler> handlers, boolean claiming) {
        return new Registration(
                id,
                incarnation,
                null,
                EnumSet.allOf(NodeRole.class),
                null,
                null,
                Set.of("general"),
                Map.of("zone", "eu", "disk", "ssd"),
                handlers,
                INTERVAL,
                LEASE,
                claiming,
                SilenceLimits.of(MusterConfig.defaults().cluster()),
                "test",
                "1.2.3",
                Routes.NONE,
                FUNCTIONS);
    }

    /** The node was in touch with the database all the time since its last heartbeat. */
    public static SinceLastHeartbeat unbroken(Duration tolerance) {
        return since(true, Duration.ZERO, tolerance);
    }

    /**
     * @param ago how long ago the last heartbeat was, by the node's own clock
     * @param tolerance by how much the database's clock may have moved more or less
     */
    public static SinceLastHeartbeat since(boolean unbroken, Duration ago, Duration tolerance) {
        long last = System.nanoTime() - ago.toNanos();
        return new SinceLastHeartbeat(unbroken, 0, last, last, tolerance, Clock.system());
    }
}
