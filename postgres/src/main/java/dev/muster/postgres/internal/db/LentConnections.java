package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of the pool that are in use now, so that those can be ended whose server may never answer. */
final class LentConnections {
    private static final Logger log = LoggerFactory.getLogger(LentConnections.class);

    private final Set<Use> uses = ConcurrentHashMap.newKeySet();

    /** Not a record, because two uses of one connection must not be equal. */
    static final class Use {
        private final Connection connection;
        private final long since = System.nanoTime();
        private boolean over;
        private boolean aborted;

        private Use(Connection connection) {
            this.connection = connection;
        }

        /** Aborts the connection, but only during this use: afterwards another borrower may have it. */
        private synchronized void abort() {
            if (!over) {
                aborted = true;
                ConnectionAborter.abort(connection);
            }
        }

        private synchronized void end() {
            over = true;
            if (aborted) {
                ConnectionAborter.discard(connection);
            }
        }
    }

    Use begin(Connection connection) {
        Use use = new Use(connection);
        uses.add(use);
        return use;
    }

    void end(Use use) {
        uses.remove(use);
        use.end();
    }

    /** For how long the use that began first has lasted; empty if there is none. */
    Optional<Duration> longest() {
        long now = System.nanoTime();
        return uses.stream().map(use -> Duration.ofNanos(now - use.since)).max(Duration::compareTo);
    }

    /** Ends the connections that have been in use since before this moment. */
    void abortUsedSinceBefore(long nanos) {
        List<Use> hanging = uses.stream().filter(use -> use.since - nanos < 0).toList();
        hanging.forEach(Use::abort);
        if (!hanging.isEmpty()) {
            log.info("ended connections={} that were in use before the server was lost", hanging.size());
        }
    }
}
