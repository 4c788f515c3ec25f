package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.bench.contender.Contender;
import dev.muster.config.MusterConfig;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.provider.Store;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a claim of 100 jobs costs when few jobs are pending and when very many are. The databases take turns, claim by
 * claim; after each claim its jobs are completed and as many added, untimed.
 */
final class BacklogScenario implements SelfPacedScenario {
    private static final int CHUNK = 100;
    private static final int WARM_UP = 30;
    private static final String FILL = Scratch.resource("backlog/fill.sql");

    private final List<Integer> sizes;

    BacklogScenario(Plan plan) {
        this.sizes = plan.backlogs();
    }

    @Override
    public String name() {
        return "backlog";
    }

    @Override
    public List<Comparison> comparisons() {
        List<Comparison> comparisons = new ArrayList<>();
        int least = sizes.get(0);
        for (int size : sizes.subList(1, sizes.size())) {
            comparisons.add(new Comparison("backlog_" + word(size) + "_vs_" + word(least), claim(size), claim(least)));
        }
        return comparisons;
    }

    static Metric claim(int size) {
        return Metric.millis("backlog_claim_" + word(size));
    }

    /** 1k, 500k, 10m. */
    static String word(int size) {
        if (size % 1_000_000 == 0) {
            return size / 1_000_000 + "m";
        }
        return size % 1_000 == 0 ? size / 1_000 + "k" : Integer.toString(size);
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        Figures figures = new Figures();
        List<Backlog> backlogs = new ArrayList<>();
        try {
            for (int size : sizes) {
                stage.say("inserting " + word(size) + " jobs");
                backlogs.add(new Backlog(stage.database(), size));
            }
            backlogs.get(0).database.checkpoint();
            for (int i = -WARM_UP; i < stage.plan().claims(); i++) {
                for (Backlog backlog : backlogs) {
                    stage.say("claim " + i + " from " + word(backlog.size));
                    double millis = backlog.claim();
                    if (i >= 0) {
                        figures.add(claim(backlog.size), millis);
                    }
                }
            }
        } finally {
            backlogs.forEach(Backlog::close);
        }
        return figures;
    }

    /** Inserts pending jobs as if they had been enqueued, much faster. */
    static void fill(Connection connection, int jobs) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(FILL)) {
            insert.setInt(1, jobs);
            insert.setInt(2, jobs);
            insert.executeUpdate();
        }
    }

    private static final class Backlog {
        private final Scratch database;
        private final int size;
        private final Connection connection;
        private final Store store;
        private final ClaimSession claims;

        Backlog(Scratch database, int size) throws SQLException {
            this.database = database;
            this.size = size;
            try (Muster migrating = Muster.builder()
                    .config(MusterConfig.defaults())
                    .database(database.url())
                    .build()) {
                migrating.migrate();
            }
            this.connection = DriverManager.getConnection(database.url());
            fill(connection, size);
            database.analyze();
            this.store = MusterContender.store(database.url());
            this.claims = MusterContender.claims(store);
        }

        double claim() throws SQLException {
            long begin = System.nanoTime();
            List<ClaimedJob> claimed = claims.exchange(List.of(), CHUNK).claimed();
            long nanos = System.nanoTime() - begin;
            if (claimed.size() != CHUNK) {
                throw new IllegalStateException(claimed.size() + " of " + size + " jobs claimed, not " + CHUNK);
            }
            claims.exchange(MusterContender.completed(claimed), 0);
            fill(connection, CHUNK);
            return nanos / 1e6;
        }

        void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            } finally {
                store.close();
                database.close();
            }
        }
    }
}
