package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.Store;
import dev.muster.StoreProvider;
import dev.muster.config.MusterConfig;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimSession;
import dev.muster.job.ClaimedJob;
import dev.muster.job.Outcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** The floor of Muster's shipped SQL: its store driven by two threads in batches of 500, without an engine or handlers. */
final class OwnSqlContender implements Contender {
    private static final int THREADS = 2;
    private static final int BATCH = 500;

    @Override
    public String name() {
        return "own_sql";
    }

    @Override
    public Kind kind() {
        return Kind.FLOOR;
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
            this.store = ServiceLoader.load(StoreProvider.class)
                    .findFirst()
                    .orElseThrow()
                    .open(null, MusterConfig.defaults().with("database.url", url));
            this.client = Muster.builder().database(url).build();
            client.start();
        }

        @Override
        public void enqueue(int first, int count) {
            client.jobs().enqueueAll(MusterContender.requests(first, count));
        }

        @Override
        public Tally process(int jobs, Duration atMost) throws Exception {
            ClaimSession session = store.jobs()
                    .openClaims(new ClaimScope(
                            "own-sql", null, Set.of(), Set.of(MusterContender.TYPE.name()), Duration.ofSeconds(30)));
            AtomicLong done = new AtomicLong();
            long start = System.nanoTime();
            Crew.run(THREADS, thread -> {
                List<Outcome> outcomes = List.of();
                while (done.get() < jobs && System.nanoTime() - start < atMost.toNanos()) {
                    List<ClaimedJob> claimed = session.exchange(outcomes, BATCH).claimed();
                    done.addAndGet(outcomes.size());
                    outcomes = new ArrayList<>(claimed.size());
                    for (ClaimedJob job : claimed) {
                        outcomes.add(new Outcome.Completed(job.claim(), null));
                    }
                }
            });
            return new Tally(done.get(), System.nanoTime() - start);
        }

        @Override
        public void verify(int enqueued, long done) throws SQLException {
            MusterContender.verify(url, enqueued, done);
        }

        @Override
        public void close() {
            client.close();
            store.close();
        }
    }
}
