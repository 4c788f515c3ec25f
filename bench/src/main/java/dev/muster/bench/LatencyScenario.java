package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Site;
import dev.muster.config.MusterConfig;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How soon a job starts on another node: while nothing else happens, and while it works at half of
 * what it sustains. Both nodes are in this JVM, so that one clock times both ends.
 */
final class LatencyScenario implements Scenario {
    private static final long PATIENCE_SECONDS = 30;

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER;
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        Figures figures = new Figures();
        double half = stage.capacity(contender) / 2;
        try (Scratch database = stage.database();
                Site load = contender.open(database.url());
                Probe probe = new Probe(database.url())) {
            database.checkpoint();
            stage.say("idle");
            measure(figures, "latency", probe, stage.plan().delays());
            stage.say("at half load");
            try (Pacer pacer = new Pacer(load, new AtomicInteger(), half)) {
                probe.awaitLoad((long) half);
                measure(figures, "latency_half_load", probe, stage.plan().delays());
                pacer.check();
            }
        }
        return figures;
    }

    private static void measure(Figures figures, String name, Probe probe, int jobs) throws Exception {
        figures.addDelays(Metric.millis(name + "_p50"), Metric.millis(name + "_p99"), probe.delays(jobs, false));
        figures.addDelays(
                Metric.millis(name + "_in_transaction_p50"),
                Metric.millis(name + "_in_transaction_p99"),
                probe.delays(jobs, true));
    }

    /** One node that enqueues now and then, and another that says when the job has started. */
    private static final class Probe implements AutoCloseable {
        private static final JobType<Integer, Void> TYPE = JobType.of("probe", Integer.class, Void.class);

        private final Muster client;
        private final Muster node;
        private final Connection connection;
        private final Starts starts = new Starts();
        private final Handled handled = Handled.endless();

        Probe(String url) throws Exception {
            this.client = Muster.builder()
                    .config(MusterConfig.defaults())
                    .database(url)
                    .build();
            this.node = Muster.builder()
                    .config(MusterConfig.defaults())
                    .database(url)
                    .register(starts)
                    .register(new Confirmations(handled))
                    .build();
            this.connection = DriverManager.getConnection(url);
            connection.setAutoCommit(false);
            client.start();
            node.start();
        }

        /** Lets the load find its pace: waits for a second's worth of jobs. */
        void awaitLoad(long jobs) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (handled.count() < jobs && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }

        /**
         * @param inTransaction enqueue in a transaction of the caller's and count from just before its commit; else
         *     count from just before the call that enqueues and commits
         */
        long[] delays(int jobs, boolean inTransaction) throws Exception {
            long[] delays = new long[jobs];
            for (int i = 0; i < jobs; i++) {
                TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(25, 75));
                JobRequest request = JobRequest.of(TYPE, i);
                long begin;
                if (inTransaction) {
                    client.jobs().in(connection).enqueue(request);
                    begin = System.nanoTime();
                    connection.commit();
                } else {
                    begin = System.nanoTime();
                    client.jobs().enqueue(request);
                }
                delays[i] = starts.await() - begin;
            }
            return delays;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
            node.close();
            client.close();
        }
    }

    /** Says when a job has started. */
    static final class Starts {
        private final BlockingQueue<Long> nanos = new LinkedBlockingQueue<>();

        @Job("probe")
        void probe(Integer number) {
            nanos.add(System.nanoTime());
        }

        long await() throws InterruptedException, TimeoutException {
            Long started = nanos.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (started == null) {
                throw new TimeoutException("a job did not start within " + PATIENCE_SECONDS + " s");
            }
            return started;
        }
    }
}
