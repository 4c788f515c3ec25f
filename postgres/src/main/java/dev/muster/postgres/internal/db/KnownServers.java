package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process knows about the servers in a URL: which one to try first, and which connections lead to which server. All
 * pools of a process with the same servers share it, so that the application's pool leaves an old primary when the node's
 * control connection has found the new one.
 */
public final class KnownServers {
    private static final Logger log = LoggerFactory.getLogger(KnownServers.class);
    private static final Map<List<Server>, KnownServers> KNOWN = new ConcurrentHashMap<>();

    /** The time limit for a login to one server. It grows while no server answers in time, so that a slow one can be reached. */
    private static final int FIRST_LIMIT_S = 4;

    private static final int LAST_LIMIT_S = 8;

    /** One server of the URL. */
    public record Server(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /**
     * Identifies a server that is not a standby.
     *
     * @param timeline the timeline of its write-ahead log; a server that was promoted later has a higher one
     * @param startedAt when it was started, in microseconds: it differs between servers, but not between two addresses of one
     *     server
     */
    public record Primary(long timeline, long startedAt) {}

    /** Where a connection leads. */
    private record Way(Server server, Primary primary) {

        /** Two addresses may lead to the same server, through two poolers for example: then both can be used. */
        boolean leadsTo(Server other, Primary found) {
            return server.equals(other) || primary.equals(found);
        }
    }

    private final List<Server> order;
    private final Map<Connection, Way> open = new WeakHashMap<>();
    private long newestTimeline;
    private int limitSeconds = FIRST_LIMIT_S;

    private KnownServers(List<Server> servers) {
        this.order = new ArrayList<>(servers);
    }

    public static KnownServers named(List<Server> servers) {
        return servers.size() == 1
                ? new KnownServers(servers)
                : KNOWN.computeIfAbsent(List.copyOf(servers), KnownServers::new);
    }

    /** The servers: first the last known primary, at the end those that did not answer. */
    public synchronized List<Server> inOrder() {
        return List.copyOf(order);
    }

    public synchronized int limitSeconds() {
        return limitSeconds;
    }

    /** This server did not answer in time. */
    public synchronized void silent(Server server) {
        order.remove(server);
        order.add(server);
        limitSeconds = Math.min(LAST_LIMIT_S, limitSeconds * 2);
    }

    /** This server answered. */
    public synchronized void answered(long millis) {
        if (millis < FIRST_LIMIT_S * 1_000L / 2) {
            limitSeconds = FIRST_LIMIT_S;
        }
    }

    /**
     * Accepts a connection to a primary, unless this process has seen a newer primary. If it is accepted, connections to other
     * servers are ended, even those in use: these servers do not answer, take no writes, or are old primaries whose writes are
     * lost. The decision is atomic: of two primaries that are found at the same time, the newer one stays.
     *
     * @return false if the connection leads to an old primary
     */
    public boolean take(Connection connection, Server server, Primary found) {
        boolean moved;
        List<Connection> elsewhere;
        synchronized (this) {
            if (found.timeline() < newestTimeline) {
                return false;
            }
            newestTimeline = found.timeline();
            moved = !order.get(0).equals(server);
            order.remove(server);
            order.add(0, server);
            elsewhere = removeElsewhere(server, found);
            open.put(connection, new Way(server, found));
        }
        elsewhere.forEach(ConnectionAborter::abort);
        if (moved || !elsewhere.isEmpty()) {
            log.info("primary={} connections_to_other_servers_ended={}", server, elsewhere.size());
        }
        return true;
    }

    /** Accepts a connection to an old primary because no other server answers. It is ended as soon as one does. */
    public synchronized void takeForWantOfABetterOne(Connection connection, Server server, Primary old) {
        open.put(connection, new Way(server, old));
    }

    private List<Connection> removeElsewhere(Server server, Primary found) {
        open.keySet().removeIf(KnownServers::isClosed);
        List<Connection> elsewhere = open.entrySet().stream()
                .filter(each -> !each.getValue().leadsTo(server, found))
                .map(Map.Entry::getKey)
                .toList();
        elsewhere.forEach(open::remove);
        return elsewhere;
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }
}
