package dev.muster.internal.event;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.event.Event.Hello;
import dev.muster.event.EventTopic;
import dev.muster.event.Position;
import dev.muster.event.Subscription;
import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.access.DatabaseClock;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.Loop;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells the clients of one node what happens in the cluster; see the package description. Thread-safe. */
public final class EventFeed {
    /** How often a round is made. */
    static final Duration ROUND = Duration.ofMillis(500);

    /** A round that takes long makes the next one wait for this many times its duration: the feed uses a fifth of the time at most. */
    private static final int REST = 4;

    /** How far ahead of the database's clock a position may be: clocks of standbys and estimates differ. */
    private static final Duration AHEAD = Duration.ofSeconds(10);

    private final EventStore store;
    private final Supplier<Instant> time;
    private final ClusterCoordinator coordinator;
    private final Clock clock;
    private final String node;
    private final List<EventClient> clients = new CopyOnWriteArrayList<>();

    /** What the feed has while it is awake; null while it is asleep. */
    private @Nullable Awake awake;

    private record Awake(EndedJobsFeed jobs, LiveViews views, Loop loop) {}

    /** @param time the database's time as the node estimates it */
    EventFeed(EventStore store, Supplier<Instant> time, ClusterCoordinator coordinator, Clock clock, String node) {
        this.store = store;
        this.time = time;
        this.coordinator = coordinator;
        this.clock = clock;
        this.node = node;
        for (Topic topic : List.of(Topic.NODES, Topic.LEADERS, Topic.CRONS)) {
            coordinator.registerChangeListener(topic, this::hint);
        }
    }

    /** The feed of a node, one for all who ask. */
    public static EventFeed of(NodeContext context) {
        DatabaseClock time = AccessSubsystem.databaseClock(context);
        return context.shared(
                EventFeed.class,
                () -> new EventFeed(
                        context.port(EventStore.class),
                        time::now,
                        context.coordinator(),
                        context.clock(),
                        context.nodeId()));
    }

    /**
     * Adds a client, which gets its {@link Hello} at once.
     *
     * @param last the position of the last event that the client has got from any node; without, it gets what happens from now on. One that is
     *     too old, or lies in the future, leads to a reset
     * @param ready called by any thread when there is something to {@link EventClient#take}; must be quick
     * @throws dev.muster.runtime.DatabaseUnavailable if the database's time is not known
     */
    public EventClient subscribe(Subscription subscription, Optional<Position> last, Runnable ready) {
        Instant now = time.get();
        synchronized (clients) {
            Awake running = awake;
            Position start = last.orElseGet(() ->
                    running == null ? Position.before(now) : running.jobs().passed());
            EventClient[] self = new EventClient[1];
            EventClient client = new EventClient(subscription, start, ready, () -> clients.remove(self[0]));
            self[0] = client;
            client.put(EventChunk.of(start, new Hello(node, now)));
            if (EndedJobsFeed.isTooOld(start, now)) {
                client.reset("the client came back too late");
            } else if (start.moment().isAfter(now.plus(AHEAD))) {
                client.reset("the position is not known");
            } else {
                clients.add(client);
                wake(running, start);
            }
            return client;
        }
    }

    private void wake(@Nullable Awake running, Position start) {
        if (running != null) {
            running.loop().wake();
            return;
        }
        Loop loop = new Loop("events", this::step);
        awake = new Awake(new EndedJobsFeed(store, start), new LiveViews(store, coordinator::isListening, clock), loop);
        loop.start();
    }

    /** How many clients there are. */
    public int clients() {
        return clients.size();
    }

    private void hint() {
        synchronized (clients) {
            Awake running = awake;
            if (running != null) {
                running.views().hint();
            }
        }
    }

    private Duration step() {
        Awake running = awakeOrAsleep();
        if (running == null) {
            return Duration.ZERO;
        }
        clients.removeIf(EventClient::isReset);
        // Who comes in the middle of a round has a position of its own, and is served by the next one.
        List<EventClient> present = List.copyOf(clients);
        long began = clock.nanos();
        boolean wanted =
                present.stream().anyMatch(client -> client.subscription().wants(EventTopic.JOBS));
        boolean more = running.jobs().round(present, wanted);
        running.views().look(present, running.jobs().passed());
        Duration took = Duration.ofNanos(clock.nanos() - began);
        Duration rest = took.multipliedBy(REST);
        return more ? took : rest.compareTo(ROUND) > 0 ? rest : ROUND;
    }

    /** Falls asleep if there are no clients. Null if so. */
    private @Nullable Awake awakeOrAsleep() {
        synchronized (clients) {
            Awake running = awake;
            if (running != null && clients.isEmpty()) {
                running.loop().stop();
                awake = null;
            }
            return awake;
        }
    }
}
