package dev.muster.gateway.internal.forward;

import dev.muster.runtime.Clock;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Connections that wait for the next call, for a few seconds. Thread-safe. */
final class IdleConnections implements AutoCloseable {
    private static final Duration KEPT = Duration.ofSeconds(5);
    private static final int MOST_PER_NODE = 32;

    private final Clock clock;
    private final Map<InetSocketAddress, Deque<Idle>> byAddress = new HashMap<>();
    private boolean closed;

    private record Idle(CallConnection connection, long since) {}

    IdleConnections(Clock clock) {
        this.clock = clock;
    }

    /** A connection that can be used at once. */
    synchronized Optional<CallConnection> take(InetSocketAddress address) {
        removeOld();
        Deque<Idle> idle = byAddress.getOrDefault(address, new ArrayDeque<>());
        while (!idle.isEmpty()) {
            CallConnection connection = idle.pop().connection();
            if (connection.isQuiet()) {
                return Optional.of(connection);
            }
            connection.close();
        }
        return Optional.empty();
    }

    /** Keeps a connection, or closes it. */
    synchronized void give(InetSocketAddress address, CallConnection connection) {
        Deque<Idle> idle = byAddress.computeIfAbsent(address, key -> new ArrayDeque<>());
        if (closed || !connection.isReusable() || idle.size() >= MOST_PER_NODE) {
            connection.close();
        } else {
            idle.push(new Idle(connection, clock.nanos()));
        }
    }

    private void removeOld() {
        long now = clock.nanos();
        byAddress.values().removeIf(idle -> {
            while (!idle.isEmpty() && now - idle.peekLast().since() >= KEPT.toNanos()) {
                idle.removeLast().connection().close();
            }
            return idle.isEmpty();
        });
    }

    @Override
    public synchronized void close() {
        closed = true;
        byAddress.values().forEach(idle -> idle.forEach(one -> one.connection().close()));
        byAddress.clear();
    }
}
