package dev.muster.postgres;

import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import dev.muster.runtime.Loop;
import dev.muster.runtime.MusterException;
import dev.muster.wakeup.ClusterCoordinator;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups by LISTEN/NOTIFY. NOTIFY takes a database-wide lock at commit, so at most one is sent per
 * node, lane and 20 ms: outside the enqueuing transaction after its commit, or inside a caller's own.
 */
final class PostgresCoordinator implements ClusterCoordinator {
    private static final Logger log = LoggerFactory.getLogger(PostgresCoordinator.class);
    private static final Duration SPACING = Duration.ofMillis(20);
    private static final int MAX_PAYLOAD = 7_000;

    /** Starts the payload of a change; no lane starts with it. */
    private static final String CHANGE = "!";

    private final Database database;
    private final String channel;
    private final boolean inTransactions;
    private final BooleanSupplier listening;
    private final Clock clock;
    private final Set<Lane> waiting = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<Lane, Long> lastInTransaction = new ConcurrentHashMap<>();
    private final List<Consumer<Set<Lane>>> listeners = new CopyOnWriteArrayList<>();
    private final Map<Topic, List<Runnable>> changeListeners = new ConcurrentHashMap<>();
    private final Loop sender = new Loop("notify", this::send);
    private volatile boolean running;

    PostgresCoordinator(Database database, boolean inTransactions, BooleanSupplier listening, Clock clock) {
        this.database = database;
        this.channel = channelOf(database.schema());
        this.inTransactions = inTransactions;
        this.listening = listening;
        this.clock = clock;
    }

    static String channelOf(String schema) {
        return "muster_" + schema;
    }

    void start() {
        running = true;
        sender.start();
    }

    void stop() {
        running = false;
        sender.stop();
        try {
            flush();
        } catch (MusterException e) {
            log.debug("the last wake-ups were not sent; polling finds the work", e);
        }
    }

    @Override
    public void notifyNewWork(Set<Lane> lanes) {
        if (waiting.addAll(lanes)) {
            if (running) {
                sender.wake();
            } else {
                flush();
            }
        }
    }

    private Duration send() {
        if (waiting.isEmpty()) {
            return Duration.ofSeconds(60);
        }
        flush();
        return SPACING;
    }

    private void flush() {
        Set<Lane> lanes = new HashSet<>(waiting);
        if (lanes.isEmpty()) {
            return;
        }
        waiting.removeAll(lanes);
        notify(payload(lanes));
    }

    private void notify(String payload) {
        database.inRawTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(
                    connection, "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?)")) {
                new Params(statement).text(channel).text(payload);
                statement.execute();
            }
            return null;
        });
    }

    @Override
    public void notifyNewWork(Connection connection, Set<Lane> lanes) throws SQLException {
        if (!inTransactions) {
            return;
        }
        long now = clock.nanos();
        Set<Lane> due = lanes.stream().filter(lane -> mayNotify(lane, now)).collect(Collectors.toSet());
        if (!due.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
                new Params(statement).text(channel).text(payload(due));
                statement.execute();
            }
        }
    }

    private boolean mayNotify(Lane lane, long now) {
        boolean[] allowed = {false};
        lastInTransaction.compute(lane, (l, last) -> {
            allowed[0] = last == null || now - last >= SPACING.toNanos();
            return allowed[0] ? Long.valueOf(now) : last;
        });
        if (lastInTransaction.size() > 10_000) {
            long old = now - TimeUnit.MINUTES.toNanos(1);
            lastInTransaction.values().removeIf(last -> last - old < 0);
        }
        return allowed[0];
    }

    /** Lanes as {@code queue/capability}, one per line; a list too long for a notification means "look everywhere". */
    private static String payload(Set<Lane> lanes) {
        String text = lanes.stream().map(l -> l.queue() + "/" + l.capability()).collect(Collectors.joining("\n"));
        return text.length() > MAX_PAYLOAD ? "" : text;
    }

    @Override
    public void notifyChange(Topic topic) {
        try {
            notify(CHANGE + topic.name());
        } catch (MusterException e) {
            log.warn("change of {} not announced; polling finds it: {}", topic, e.getMessage());
        }
    }

    @Override
    public void registerChangeListener(Topic topic, Runnable listener) {
        changeListeners
                .computeIfAbsent(topic, t -> new CopyOnWriteArrayList<>())
                .add(listener);
    }

    private void changed(Topic topic) {
        changeListeners.getOrDefault(topic, List.of()).forEach(Runnable::run);
    }

    void received(String payload) {
        if (payload.startsWith(CHANGE)) {
            Arrays.stream(Topic.values())
                    .filter(topic -> payload.equals(CHANGE + topic.name()))
                    .forEach(this::changed);
            return;
        }
        if (payload.isEmpty()) {
            // Anything may have happened.
            Arrays.stream(Topic.values()).forEach(this::changed);
        }
        Set<Lane> lanes = payload.isEmpty()
                ? Set.of()
                : Arrays.stream(payload.split("\n"))
                        .map(line -> line.split("/", 2))
                        .filter(parts -> parts.length == 2)
                        .map(parts -> new Lane(parts[0], parts[1]))
                        .collect(Collectors.toSet());
        listeners.forEach(listener -> listener.accept(lanes));
    }

    /** After a reconnect anything may have been missed. */
    void reconnected() {
        received("");
    }

    @Override
    public void registerWakeupListener(Runnable listener) {
        listeners.add(lanes -> listener.run());
    }

    @Override
    public void registerWakeupListener(Consumer<Set<Lane>> listener) {
        listeners.add(listener);
    }

    @Override
    public boolean isListening() {
        return listening.getAsBoolean();
    }
}
