package dev.muster.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process knows of the servers that a URL names: which one to ask first, and which connections lead where. All
 * pools of a process that name the same servers share it, so that the pool of the application leaves an old primary
 * when the node's control connection has found the new one.
 */
final class Servers {
    private static final Logger log = LoggerFactory.getLogger(Servers.class);
    private static final Map<List<Server>, Servers> KNOWN = new ConcurrentHashMap<>();

    /** Time for one server's login. It grows while no server answers in time, so that a slow one is reached as well. */
    private static final int FIRST_LIMIT_S = 4;

    private static final int LAST_LIMIT_S = 8;

    /** One server of the URL. */
    record Server(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    private final List<Server> order;
    private final Map<Connection, Server> open = Collections.synchronizedMap(new WeakHashMap<>());
    private long newestTimeline;
    private int limitSeconds = FIRST_LIMIT_S;

    private Servers(List<Server> servers) {
        this.order = new ArrayList<>(servers);
    }

    static Servers named(List<Server> servers) {
        return servers.size() == 1 ? new Servers(servers) : KNOWN.computeIfAbsent(List.copyOf(servers), Servers::new);
    }

    /** The servers, first the one that was found to be the primary last, at the end those that did not answer. */
    synchronized List<Server> inOrder() {
        return List.copyOf(order);
    }

    synchronized int limitSeconds() {
        return limitSeconds;
    }

    /** This server did not answer in time. */
    synchronized void silent(Server server) {
        order.remove(server);
        order.add(server);
        limitSeconds = Math.min(LAST_LIMIT_S, limitSeconds * 2);
    }

    /** This server answered. */
    synchronized void answered(long millis) {
        if (millis < FIRST_LIMIT_S * 1_000L / 2) {
            limitSeconds = FIRST_LIMIT_S;
        }
    }

    /**
     * Whether a primary on this timeline is older than one that this process has seen.
     *
     * @param timeline 0: unknown
     */
    synchronized boolean isPast(long timeline) {
        return timeline > 0 && timeline < newestTimeline;
    }

    void opened(Connection connection, Server server) {
        open.put(connection, server);
    }

    /**
     * This server is the primary. Connections to the others are ended, also those in use: what they lead to answers nobody,
     * takes no writes, or is an old primary whose writes are lost.
     */
    void foundPrimary(Server primary, long timeline) {
        boolean moved;
        synchronized (this) {
            newestTimeline = Math.max(newestTimeline, timeline);
            moved = !order.get(0).equals(primary);
            order.remove(primary);
            order.add(0, primary);
        }
        int ended = 0;
        for (Map.Entry<Connection, Server> each : snapshot()) {
            if (!each.getValue().equals(primary)) {
                open.remove(each.getKey());
                Aborts.abort(each.getKey());
                ended++;
            }
        }
        if (moved || ended > 0) {
            log.info("primary={} connections_to_other_servers_ended={}", primary, ended);
        }
    }

    private List<Map.Entry<Connection, Server>> snapshot() {
        List<Map.Entry<Connection, Server>> all = new ArrayList<>();
        synchronized (open) {
            open.keySet().removeIf(Servers::isClosed);
            open.forEach((connection, server) -> all.add(Map.entry(connection, server)));
        }
        return all;
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }
}
