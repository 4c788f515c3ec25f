package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Site;
import dev.muster.config.MusterConfig;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import java.sql.SQLException;
import java.util.List;

/** The floor of Muster's shipped SQL: its store driven by two threads in chunks of 500, without an engine or handlers. */
final class OwnSqlContender implements Contender {
    static final String NAME = "own_sql";

    private static final int THREADS = 2;
    private static final int CHUNK = 500;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Kind kind() {
        return Kind.FLOOR;
    }

    @Override
    public String about() {
        return "Muster's own SQL, two threads, chunks of 500, no engine and no handlers";
    }

    @Override
    public Site open(String url) {
        return new OwnSqlSite(url);
    }

    private static final class OwnSqlSite implements Site {
        private final String url;
        private final Store store;
        private final Muster client;

        OwnSqlSite(String url) {
            this.url = url;
            this.store = MusterContender.store(url);
            this.client = Muster.builder()
                    .config(MusterConfig.defaults())
                    .database(url)
                    .build();
            client.start();
        }

        @Override
        public void enqueue(int first, int count) {
            client.jobs().enqueueAll(MusterContender.requests(first, count));
        }

        @Override
        public Work start(Handled handled) {
            ClaimSession session = MusterContender.claims(store);
            return new Looping(THREADS, (thread, gate) -> {
                List<Outcome> outcomes = List.of();
                handled.begin();
                while (gate.open(outcomes.size())) {
                    List<ClaimedJob> claimed = session.exchange(outcomes, CHUNK).claimed();
                    handled.add(outcomes.size());
                    outcomes = MusterContender.completed(claimed);
                }
            });
        }

        @Override
        public long left() throws SQLException {
            return MusterContender.left(url);
        }

        @Override
        public void close() {
            client.close();
            store.close();
        }
    }
}
