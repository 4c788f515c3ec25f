package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Site;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * The reference: claims, completes and keeps history in chunks of 500 by two plain connections, without
 * handlers. Its tables and statements are fixed; they are not Muster's.
 */
final class FloorContender implements Contender {
    private static final int CONNECTIONS = 2;
    private static final String NO_MARKS = "{-1,-1,-1,-1,-1}";
    private static final String OPTIONS = "&prepareThreshold=1&options=-c%20enable_seqscan=off"
            + "%20-c%20enable_hashjoin=off%20-c%20enable_mergejoin=off%20-c%20jit=off";

    @Override
    public String name() {
        return "floor";
    }

    @Override
    public Kind kind() {
        return Kind.FLOOR;
    }

    @Override
    public String about() {
        return "plain SQL, two connections, chunks of 500, no handlers";
    }

    @Override
    public Site open(String url) throws SQLException {
        Scratch.execute(url, Scratch.resource("floor/schema.sql"));
        return new FloorSite(url + OPTIONS);
    }

    private static final class FloorSite implements Site {
        private static final String ENQUEUE = Scratch.resource("floor/enqueue.sql");
        private static final String CLAIM = Scratch.resource("floor/claim.sql");
        private static final String COMPLETE_AND_CLAIM = Scratch.resource("floor/complete.sql") + ";" + CLAIM;

        private final String url;
        private final ThreadConnections connections;

        FloorSite(String url) {
            this.url = url;
            this.connections = new ThreadConnections(url);
        }

        @Override
        public void enqueue(int first, int count) throws SQLException {
            PreparedStatement statement = connections.prepare(ENQUEUE);
            statement.setInt(1, count);
            statement.executeUpdate();
        }

        @Override
        public Work start(Handled handled) {
            return new Looping(CONNECTIONS, (worker, gate) -> work(worker, handled, gate));
        }

        private record Chunk(
                int jobs, @Nullable String tids, @Nullable String ids, String marks) {}

        private void work(int worker, Handled handled, Looping.Gate gate) throws Exception {
            try (Connection connection = DriverManager.getConnection(url);
                    PreparedStatement claim = connection.prepareStatement(CLAIM);
                    PreparedStatement both = connection.prepareStatement(COMPLETE_AND_CLAIM)) {
                connection.setAutoCommit(false);
                Chunk chunk = new Chunk(0, null, null, NO_MARKS);
                handled.begin();
                while (gate.open(chunk.jobs())) {
                    Chunk next = chunk.jobs() == 0 ? step(claim, worker, NO_MARKS) : step(both, worker, chunk);
                    connection.commit();
                    handled.add(chunk.jobs());
                    chunk = next;
                }
            }
        }

        private static Chunk step(PreparedStatement both, int worker, Chunk chunk) throws SQLException {
            both.setObject(1, chunk.tids(), Types.OTHER);
            both.setObject(2, chunk.ids(), Types.OTHER);
            both.setLong(3, worker);
            bindClaim(both, 4, worker, chunk.marks());
            both.execute();
            both.getMoreResults();
            return read(both);
        }

        private static Chunk step(PreparedStatement claim, int worker, String marks) throws SQLException {
            bindClaim(claim, 1, worker, marks);
            claim.execute();
            return read(claim);
        }

        private static void bindClaim(PreparedStatement statement, int from, int worker, String marks)
                throws SQLException {
            statement.setObject(from, marks, Types.OTHER);
            statement.setLong(from + 1, worker);
            statement.setObject(from + 2, marks, Types.OTHER);
        }

        private static Chunk read(PreparedStatement statement) throws SQLException {
            try (ResultSet rows = statement.getResultSet()) {
                rows.next();
                return new Chunk(rows.getInt(1), rows.getString(2), rows.getString(3), rows.getString(4));
            }
        }

        @Override
        public long left() throws SQLException {
            return Scratch.number(url, "select count(*) from job");
        }

        @Override
        public void close() {
            connections.close();
        }
    }
}
