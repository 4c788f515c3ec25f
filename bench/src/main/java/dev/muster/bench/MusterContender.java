package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.Priority;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Muster as shipped: one node that enqueues, one that runs a handler which does nothing, default settings. */
final class MusterContender implements Contender {
    static final JobType<Payload, Void> TYPE = JobType.of("send-confirmation", Payload.class, Void.class);

    @Override
    public String name() {
        return "muster";
    }

    @Override
    public Kind kind() {
        return Kind.MUSTER;
    }

    @Override
    public Site open(String url) {
        return new MusterSite(url);
    }

    /** Jobs of all five priorities by turns, like those of the floor. */
    static List<JobRequest> requests(int first, int count) {
        Priority[] priorities = Priority.values();
        List<JobRequest> requests = new ArrayList<>(count);
        for (int i = first; i < first + count; i++) {
            requests.add(JobRequest.of(TYPE, Payload.number(i)).priority(priorities[i % priorities.length]));
        }
        return requests;
    }

    static void verify(String url, int enqueued, long done) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            String completed = "select count(*) from muster_job_history where status = 'completed'";
            Scratch.require(connection, "muster history", completed, done);
            Scratch.require(connection, "muster jobs left", "select count(*) from muster_jobs", enqueued - done);
        }
    }

    private static final class MusterSite implements Site.Waking {
        private final String url;
        private final Muster client;

        MusterSite(String url) {
            this.url = url;
            this.client = Muster.builder().database(url).build();
            client.start();
        }

        @Override
        public void enqueue(int first, int count) {
            client.jobs().enqueueAll(requests(first, count));
        }

        @Override
        public Tally process(int jobs, Duration atMost) throws Exception {
            Handled handled = new Handled(jobs);
            long deadline = System.nanoTime() + atMost.toNanos();
            boolean all;
            long nanos;
            try (Muster node = node(handled)) {
                node.start();
                all = handled.await(atMost) && Scratch.awaitZero(url, "select count(*) from muster_jobs", deadline);
                nanos = handled.nanosSinceFirst();
            }
            if (!all || handled.count() != jobs) {
                throw new IllegalStateException(handled.count() + " of " + jobs + " jobs were run in time");
            }
            return new Tally(jobs, nanos);
        }

        private Muster node(Handled handled) {
            return Muster.builder()
                    .database(url)
                    .register(new Confirmations(handled))
                    .build();
        }

        @Override
        public void verify(int enqueued, long done) throws SQLException {
            MusterContender.verify(url, enqueued, done);
        }

        @Override
        public long[] startDelays(int jobs, boolean inTransaction) throws Exception {
            long[] delays = new long[jobs];
            Handled handled = new Handled(Integer.MAX_VALUE);
            try (Muster node = node(handled);
                    Connection connection = DriverManager.getConnection(url)) {
                node.start();
                connection.setAutoCommit(false);
                for (int i = 0; i < jobs; i++) {
                    TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(25, 75));
                    long begin;
                    if (inTransaction) {
                        client.jobs().in(connection).enqueueAll(requests(i, 1));
                        begin = System.nanoTime();
                        connection.commit();
                    } else {
                        begin = System.nanoTime();
                        enqueue(i, 1);
                    }
                    delays[i] = handled.awaitLast(i + 1) - begin;
                }
            }
            return delays;
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
