package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The reference: claims, completes and keeps history in batches of 500 by two plain connections, without
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
        public Tally process(int jobs, Duration atMost) throws Exception {
            AtomicLong done = new AtomicLong();
            long start = System.nanoTime();
            Crew.run(CONNECTIONS, worker -> work(worker, jobs, done, start + atMost.toNanos()));
            return new Tally(done.get(), System.nanoTime() - start);
        }

        private record Batch(
                int jobs, @Nullable String tids, @Nullable String ids, String marks) {}

        private void work(int worker, int jobs, AtomicLong done, long deadline) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url);
                    PreparedStatement claim = connection.prepareStatement(CLAIM);
                    PreparedStatement both = connection.prepareStatement(COMPLETE_AND_CLAIM)) {
                connection.setAutoCommit(false);
                Batch batch = new Batch(0, null, null, NO_MARKS);
                while (done.get() < jobs && System.nanoTime() - deadline < 0) {
                    Batch next = batch.jobs() == 0 ? step(claim, worker, NO_MARKS) : step(both, worker, batch);
                    connection.commit();
                    done.addAndGet(batch.jobs());
                    batch = next;
                }
            }
        }

        private static Batch step(PreparedStatement both, int worker, Batch batch) throws SQLException {
            both.setObject(1, batch.tids(), Types.OTHER);
            both.setObject(2, batch.ids(), Types.OTHER);
            both.setLong(3, worker);
            bindClaim(both, 4, worker, batch.marks());
            both.execute();
            both.getMoreResults();
            return read(both);
        }

        private static Batch step(PreparedStatement claim, int worker, String marks) throws SQLException {
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

        private static Batch read(PreparedStatement statement) throws SQLException {
            try (ResultSet rows = statement.getResultSet()) {
                rows.next();
                return new Batch(rows.getInt(1), rows.getString(2), rows.getString(3), rows.getString(4));
            }
        }

        @Override
        public void verify(int enqueued, long done) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url)) {
                Scratch.require(connection, "floor history", "select count(*) from history", done);
                Scratch.require(connection, "floor jobs left", "select count(*) from job", enqueued - done);
            }
        }

        @Override
        public void close() throws SQLException {
            connections.close();
        }
    }
}
