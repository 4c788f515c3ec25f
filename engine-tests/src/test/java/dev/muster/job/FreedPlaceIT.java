package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only place becomes free while many jobs wait for it and an open transaction keeps all dead rows. The start of the next job costs no
 * more than if there were a few jobs: the test compares how many pages the server reads for it. How long it takes is logged.
 */
class FreedPlaceIT {
    private static final Logger log = LoggerFactory.getLogger(FreedPlaceIT.class);

    private static final int BACKLOG = Sizes.of(3_000, 100_000);

    private static final int FEW = 100;
    private static final int PASSED = Math.max(200, BACKLOG / 50);
    private static final int MEASURED = 50;
    private static final int ENQUEUED_AT_ONCE = 1_000;

    private final Work work = new Work();
    private EmbeddedPostgres server;
    private String url;
    private Muster muster;

    record Keyed(String key) {}

    /** Handlers that say that they were entered, and return when they may. */
    static final class Work {
        final Semaphore entered = new Semaphore(0);
        final Semaphore mayReturn = new Semaphore(0);

        @Job(value = "of_queue", queue = "scarce")
        void ofQueue() throws InterruptedException {
            run();
        }

        @Job(value = "of_key", maxConcurrent = 1, concurrencyKey = "key")
        void ofKey(Keyed args) throws InterruptedException {
            run();
        }

        private void run() throws InterruptedException {
            entered.release();
            mayReturn.acquire();
        }

        /** Lets one job return and waits until the next one runs. Returns how long that took, in microseconds. */
        long next() throws InterruptedException {
            long began = System.nanoTime();
            mayReturn.release();
            awaitEntered();
            return (System.nanoTime() - began) / 1_000;
        }

        void awaitEntered() throws InterruptedException {
            assertThat(entered.tryAcquire(60, TimeUnit.SECONDS))
                    .as("a job runs")
                    .isTrue();
        }
    }

    @BeforeEach
    void start() {
        server = EmbeddedPostgres.builder()
                .setting("shared_preload_libraries", "pg_stat_statements")
                .start();
        url = server.databases().create("backlog");
        muster = Muster.builder()
                .config(MusterConfig.defaults().with(Map.of("database.url", url, "worker.concurrency", "4")))
                .register(work)
                .build();
        muster.start();
    }

    @AfterEach
    void stop() {
        work.mayReturn.release(1_000_000);
        muster.close();
        server.close();
    }

    @Test
    void theNextJobOfALimitedQueueIsFoundWithoutReadingTheOthers() throws Exception {
        muster.queues().limit("scarce", QueueLimit.maxRunning(1));

        startingTheNextJobCostsTheSame(JobRequest.of("of_queue"));
    }

    @Test
    void theNextJobOfAKeyIsFoundWithoutReadingTheOthers() throws Exception {
        startingTheNextJobCostsTheSame(JobRequest.of("of_key", new Keyed("acme")));
    }

    private void startingTheNextJobCostsTheSame(JobRequest request) throws Exception {
        try (Connection tests = DriverManager.getConnection(url);
                Connection pin = DriverManager.getConnection(url)) {
            execute(tests, "CREATE EXTENSION pg_stat_statements");
            pin.setAutoCommit(false);
            execute(pin, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            execute(pin, "SELECT count(*) FROM muster_jobs");
            enqueue(request, FEW);
            work.awaitEntered();
            long withAFew = pagesPerStart(tests, FEW);

            enqueue(request, BACKLOG);
            for (int i = 0; i < PASSED; i++) {
                work.next();
            }
            long withMany = pagesPerStart(tests, BACKLOG);

            assertThat(withMany).as("pages per start").isLessThan(withAFew + 200);
        }
    }

    private void enqueue(JobRequest request, int jobs) {
        for (int left = jobs; left > 0; left -= ENQUEUED_AT_ONCE) {
            muster.jobs().enqueueAll(Collections.nCopies(Math.min(left, ENQUEUED_AT_ONCE), request));
        }
    }

    /** What all statements of the node read, until one job has returned and the next one runs. */
    private long pagesPerStart(Connection tests, int jobs) throws Exception {
        execute(tests, "SELECT pg_stat_statements_reset()");
        long[] micros = new long[MEASURED];
        for (int i = 0; i < MEASURED; i++) {
            micros[i] = work.next();
        }
        long pages = number(
                        tests,
                        "SELECT sum(shared_blks_hit + shared_blks_read) FROM pg_stat_statements WHERE query NOT LIKE"
                                + " '%pg_stat_statements%'")
                / MEASURED;
        long[] sorted = LongStream.of(micros).sorted().toArray();
        log.info(
                "{} jobs: {} pages per start, p50 {} ms, p95 {} ms, max {} ms",
                jobs,
                pages,
                sorted[MEASURED / 2] / 1_000.0,
                sorted[MEASURED * 95 / 100] / 1_000.0,
                sorted[MEASURED - 1] / 1_000.0);
        return pages;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
