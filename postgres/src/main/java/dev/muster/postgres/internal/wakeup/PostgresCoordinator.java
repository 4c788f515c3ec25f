package dev.muster.postgres.internal.wakeup;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.runtime.Loop;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Query;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups by LISTEN/NOTIFY. NOTIFY takes a database-wide lock at commit, so each node sends at most one per lane and 20 ms:
 * after the commit of the enqueuing transaction, or inside a caller's own transaction.
 *
 * <p>The first notification for a lane is sent at once; those that follow closely are sent together. If a caller's transaction
 * may not send one because another has just been sent, it is sent later from outside, which may be before that transaction
 * commits: then polling finds the job.
 */
public final class PostgresCoordinator implements ClusterCoordinator {
    private static final Logger log = LoggerFactory.getLogger(PostgresCoordinator.class);
    private static final Duration SPACING = Duration.ofMillis(20);
    private static final Duration IDLE = Duration.ofSeconds(60);
    private static final int MAX_PAYLOAD = 7_000;

    /** How many lanes with jobs that are not due yet are remembered; polling finds the others. */
    private static final int MAX_LATER = 10_000;

    /** The first character of a change's payload; no lane starts with it. */
    private static final String CHANGE = "!";

    private final Database database;
    private final String channel;
    private final boolean inTransactions;
    private final BooleanSupplier listening;
    private final Clock clock;
    private final Set<Lane> waiting = ConcurrentHashMap.newKeySet();
    private final Map<Lane, Long> dueLater = new ConcurrentHashMap<>();
    private final LaneSpacing spacing = new LaneSpacing(SPACING);
    private final LaneSpacing spacingInTransactions = new LaneSpacing(SPACING);
    private final List<Consumer<Set<Lane>>> listeners = new CopyOnWriteArrayList<>();
    private final Map<Topic, List<Runnable>> changeListeners = new ConcurrentHashMap<>();
    private final Loop sender = new Loop("notify", this::send);
    private final AtomicBoolean started = new AtomicBoolean();

    public PostgresCoordinator(Database database, boolean inTransactions, BooleanSupplier listening, Clock clock) {
        this.database = database;
        this.channel = channelOf(database.schema());
        this.inTransactions = inTransactions;
        this.listening = listening;
        this.clock = clock;
    }

    public static String channelOf(String schema) {
        return "muster_" + schema;
    }

    /** Starts the sending thread: a node does so at its start, a process that only enqueues with its first job. */
    public void start() {
        if (!started.getAndSet(true)) {
            sender.start();
        }
    }

    /**
     * Sends the remaining notifications, even for lanes whose jobs are not due yet: nodes that ask these lanes learn when they
     * are.
     */
    public void stop() {
        // Marks the sender as started in any case, so that nothing starts it after this.
        if (!started.getAndSet(true)) {
            return;
        }
        sender.stop();
        waiting.addAll(dueLater.keySet());
        dueLater.clear();
        Set<Lane> left = Set.copyOf(waiting);
        if (waiting.removeAll(left)) {
            try {
                notify(left);
            } catch (MusterException e) {
                log.debug("the last wake-ups were not sent; polling finds the work", e);
            }
        }
    }

    @Override
    public void notifyNewWork(Set<Lane> lanes) {
        if (waiting.addAll(lanes)) {
            start();
            sender.wake();
        }
    }

    @Override
    public void notifyNewWorkLater(Lane lane, Duration delay) {
        if (dueLater.size() < MAX_LATER || dueLater.containsKey(lane)) {
            dueLater.merge(lane, clock.nanos() + delay.toNanos(), (one, other) -> one - other < 0 ? one : other);
            start();
            sender.wake();
        }
    }

    /** Queues the notifications that are due for sending. Returns the time until the next one is due. */
    private long takeDue(long now) {
        long next = IDLE.toNanos();
        for (Map.Entry<Lane, Long> entry : dueLater.entrySet()) {
            long left = entry.getValue() - now;
            if (left > 0) {
                next = Math.min(next, left);
            } else if (dueLater.remove(entry.getKey(), entry.getValue())) {
                waiting.add(entry.getKey());
            }
        }
        return next;
    }

    private Duration send() {
        long now = clock.nanos();
        long next = takeDue(now);
        Set<Lane> due = new HashSet<>();
        for (Lane lane : waiting) {
            if (spacing.take(lane, now)) {
                due.add(lane);
            } else {
                next = Math.min(next, spacing.left(lane, now));
            }
        }
        if (!due.isEmpty()) {
            waiting.removeAll(due);
            try {
                notify(due);
            } catch (MusterException e) {
                waiting.addAll(due);
                throw e;
            }
        }
        return Duration.ofNanos(next);
    }

    private void notify(Set<Lane> lanes) {
        notify(payload(lanes));
    }

    private void notify(String payload) {
        Query notify = database.preparedQuery("wakeup/notify_in_own_transaction")
                .with(p -> p.text(channel).text(payload));
        try {
            database.statement(connection -> {
                notify.run(connection);
                return null;
            });
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    @Override
    public void notifyNewWork(Connection connection, Set<Lane> lanes) throws SQLException {
        if (!inTransactions) {
            return;
        }
        long now = clock.nanos();
        Set<Lane> due = new HashSet<>();
        Set<Lane> tooSoon = new HashSet<>();
        for (Lane lane : lanes) {
            (spacingInTransactions.take(lane, now) ? due : tooSoon).add(lane);
        }
        if (!due.isEmpty()) {
            database.query("wakeup/notify_at_commit")
                    .with(p -> p.text(channel).text(payload(due)))
                    .run(connection);
        }
        sendLater(tooSoon, now);
    }

    private void sendLater(Set<Lane> lanes, long now) {
        lanes.removeAll(waiting);
        if (!lanes.isEmpty()) {
            // The sender must not send for these lanes at once: the transaction has just sent a notification.
            lanes.forEach(lane -> spacing.take(lane, now));
            notifyNewWork(lanes);
        }
    }

    /** Lanes as {@code queue/capability}, one per line; a list too long for a notification means that any lane may have new work. */
    private static String payload(Set<Lane> lanes) {
        String text = lanes.stream().map(l -> l.queue() + "/" + l.capability()).collect(Collectors.joining("\n"));
        return text.length() > MAX_PAYLOAD ? "" : text;
    }

    @Override
    public void notifyChange(Topic topic) {
        try {
            notify(CHANGE + topic.name());
        } catch (MusterException e) {
            log.warn("change of {} not announced; polling finds it: {}", topic.name(), e.getMessage());
        }
    }

    /** Tells all nodes, when this transaction commits, that something has changed. */
    public void notifyChange(Connection connection, Topic topic) throws SQLException {
        if (inTransactions) {
            database.query("wakeup/notify_at_commit")
                    .with(p -> p.text(channel).text(CHANGE + topic.name()))
                    .run(connection);
        }
    }

    @Override
    public void registerChangeListener(Topic topic, Runnable listener) {
        changeListeners
                .computeIfAbsent(topic, t -> new CopyOnWriteArrayList<>())
                .add(listener);
    }

    /** This topic has changed, or may have. */
    public void changed(Topic topic) {
        changeListeners.getOrDefault(topic, List.of()).forEach(Runnable::run);
    }

    public void received(String payload) {
        if (payload.startsWith(CHANGE)) {
            changed(new Topic(payload.substring(CHANGE.length())));
            return;
        }
        if (payload.isEmpty()) {
            // Any topic may have changed.
            changeListeners.keySet().forEach(this::changed);
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

    /** After a reconnect any notification may have been missed. */
    public void reconnected() {
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
