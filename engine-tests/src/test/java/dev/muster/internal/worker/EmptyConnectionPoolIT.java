package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A pool that the application has emptied does not cost a healthy node its claims. */
@Order(1)
class EmptyConnectionPoolIT extends EngineIT {
    private static final Duration LONG = Duration.ofMinutes(3);

    /** A job that lasts until it is told to end. */
    static final class Patient {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch finish = new CountDownLatch(1);
        final AtomicBoolean interrupted = new AtomicBoolean();

        @Job("patient")
        int patient(JobContext ctx) {
            started.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            return ctx.attempt();
        }
    }

    @Test
    void leasesAreRenewedWhileThePoolIsEmpty() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(5);
        config.setConnectionTimeout(20_000);
        Patient patient = new Patient();
        try (HikariDataSource pool = new HikariDataSource(config);
                Muster node = builder(Map.of(), patient).dataSource(pool).build()) {
            node.start();
            JobId id = node.jobs().enqueue("patient", null);
            assertThat(patient.started.await(90, TimeUnit.SECONDS)).isTrue();
            await().until(() -> status(id).equals("running"));
            List<Connection> taken = emptied(pool);

            // Without a single connection left in the pool.
            awaitRenewals(id, 3);
            assertThat(patient.interrupted).isFalse();
            assertThat(status(id)).isEqualTo("running");
            for (Connection connection : taken) {
                connection.close();
            }
            patient.finish.countDown();

            JobInfo job = ended(node, id);
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isZero();
        }
    }

    /** The pool gives the node no connection for as long as this takes, and the job ends meanwhile. */
    @Test
    void aJobThatHasEndedIsKeptUntilItsOutcomeIsWritten() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(5);
        config.setConnectionTimeout(Duration.ofMinutes(10).toMillis());
        Patient patient = new Patient();
        Map<String, String> settings = Map.of("worker.lease", "1s", "worker.renew", "200ms");
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection sweep = database.dataSource().getConnection();
                Muster node = builder(settings, patient).dataSource(pool).build()) {
            node.start();
            JobId id = node.jobs().enqueue("patient", null);
            assertThat(patient.started.await(90, TimeUnit.SECONDS)).isTrue();
            await().until(() -> status(id).equals("running"));
            // Nothing is swept: a lease that a busy machine loses for a moment is renewed.
            sweep.setAutoCommit(false);
            sweep.createStatement().execute("SELECT 1 FROM muster_claims FOR UPDATE");
            List<Connection> taken = emptied(pool);
            patient.finish.countDown();

            awaitRenewals(id, 15);
            for (Connection connection : taken) {
                connection.close();
            }
            JobInfo job = ended(node, id);
            sweep.rollback();
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isZero();
        }
    }

    @Test
    void anOutcomeIsWrittenOverTheControlConnectionIfThePoolGivesNone() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(5);
        config.setConnectionTimeout(1_000);
        Patient patient = new Patient();
        try (HikariDataSource pool = new HikariDataSource(config);
                Muster node = builder(Map.of(), patient).dataSource(pool).build()) {
            node.start();
            JobId id = node.jobs().enqueue("patient", null);
            assertThat(patient.started.await(90, TimeUnit.SECONDS)).isTrue();
            List<Connection> taken = emptied(pool);
            patient.finish.countDown();

            await().until(() -> database.column("SELECT status || attempt FROM muster_job_history")
                    .equals(List.of("completed1")));
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    /** Holds a connection of the application's pool for a while. */
    static final class Holders {
        final AtomicInteger starts = new AtomicInteger();
        final CountDownLatch never = new CountDownLatch(1);
        final HikariDataSource pool;

        Holders(HikariDataSource pool) {
            this.pool = pool;
        }

        @Job("holds")
        void holds(JobContext ctx) throws Exception {
            starts.incrementAndGet();
            try (Connection connection = pool.getConnection()) {
                assertThat(never.await(4, TimeUnit.SECONDS)).isFalse();
                assertThat(connection.isClosed()).isFalse();
            }
        }
    }

    @Test
    @LongTest(
            twin = EmptyConnectionPoolIT.class,
            test = {"leasesAreRenewedWhileThePoolIsEmpty", "aJobThatHasEndedIsKeptUntilItsOutcomeIsWritten"},
            why = "handlers that hold connections for longer than two leases")
    void handlersThatUseUpThePoolRunOnce() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(Duration.ofMinutes(2).toMillis());
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Holders holders = new Holders(pool);
            Map<String, String> settings =
                    Map.of("worker.lease", "3s", "worker.renew", "1s", "worker.concurrency", "36");
            try (Muster node = builder(settings, holders).dataSource(pool).build()) {
                node.start();
                Muster client = builder(Map.of("node.roles", "gateway")).build();
                client.jobs().enqueueAll(Collections.nCopies(36, JobRequest.of("holds")));
                await().atMost(LONG).until(() -> database.number("SELECT count(*) FROM muster_job_history") == 36);
                assertThat(database.number("SELECT count(*) FROM muster_job_history"
                                + " WHERE status = 'completed' AND attempt = 1 AND crashes = 0"))
                        .isEqualTo(36);
                assertThat(holders.starts).hasValue(36);
            }
        }
    }

    /** Takes what the node does not keep for itself; it may have to wait until the node gives back the others. */
    private static List<Connection> emptied(HikariDataSource pool) {
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            taken.add(await("a connection").ignoreExceptions().until(pool::getConnection, Objects::nonNull));
        }
        return taken;
    }

    static final class Work {
        final CountDownLatch poolIsEmpty = new CountDownLatch(1);
        final CountDownLatch never = new CountDownLatch(1);
        final AtomicInteger starts = new AtomicInteger();

        @Job("quick")
        void quick() {}

        @Job("slow")
        void slow() throws InterruptedException {
            starts.incrementAndGet();
            poolIsEmpty.await();
            assertThat(never.await(500, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    /**
     * The application has emptied the pool for good: what was not started goes back after seconds, what has ended is written over the
     * control connection and runs nowhere else, and the node says that it is not ready.
     */
    @Test
    void aNodeThatCannotWriteKeepsNoJobsFromTheOthers() throws Exception {
        // It leads, too, and lets go of that in time.
        Map<String, String> shortLeases =
                Map.of("worker.lease", "4s", "worker.renew", "1s", "leader.lease", "4s", "leader.renew", "1s");
        keepsNoJobsFromTheOthers(shortLeases, Map.of(), Duration.ofSeconds(1));
    }

    @Test
    @LongTest(
            twin = EmptyConnectionPoolIT.class,
            test = "aNodeThatCannotWriteKeepsNoJobsFromTheOthers",
            why = "the leases that a user gets")
    void withDefaultsANodeThatCannotWriteKeepsNoJobsFromTheOthers() throws Exception {
        Map<String, String> defaults =
                Map.of("worker.lease", "30s", "worker.renew", "10s", "worker.sweep_interval", "1s");
        Duration took = keepsNoJobsFromTheOthers(defaults, defaults, Duration.ofSeconds(5));
        Measured.within(Duration.ofSeconds(90), took, "running all jobs of a node that cannot write");
    }

    private Duration keepsNoJobsFromTheOthers(
            Map<String, String> ofNode, Map<String, String> ofOther, Duration patience) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(5);
        config.setConnectionTimeout(patience.toMillis());
        Work work = new Work();
        try (HikariDataSource pool = new HikariDataSource(config)) {
            MusterBuilder builder = builder(ofNode, work).dataSource(pool);
            try (Muster node = builder.set("worker.concurrency", "4")
                    .set("worker.prefetch", "30")
                    .set("gateway.port", "0")
                    .build()) {
                node.start();
                String ready = "http://127.0.0.1:" + node.ports().get(0) + "/_api/ready";
                assertThat(get(ready)).startsWith("200");
                Muster client = builder(Map.of("node.roles", "gateway")).build();
                List<JobRequest> jobs = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    jobs.add(JobRequest.of("slow"));
                    jobs.add(JobRequest.of("quick"));
                }
                client.jobs().enqueueAll(jobs);
                await().until(() -> database.number("SELECT count(*) FROM muster_jobs WHERE node_id IS NOT NULL") > 8);
                List<Connection> taken = emptied(pool);
                long emptied = System.nanoTime();
                work.poolIsEmpty.countDown();
                Muster other = node(ofOther, work);

                await().atMost(LONG)
                        .untilAsserted(
                                () -> assertThat(get(ready)).startsWith("503").contains("jobs can neither be"));
                assertThat(node.health().detail()).contains("jobs can neither be claimed nor completed");
                await("end of all").atMost(LONG).until(() -> database.number("SELECT count(*) FROM muster_jobs") == 0);

                Duration took = Duration.ofNanos(System.nanoTime() - emptied);
                assertThat(database.number("SELECT count(*) FROM muster_job_history"
                                + " WHERE status = 'completed' AND attempt = 1 AND crashes = 0"))
                        .isEqualTo(40);
                assertThat(database.number("SELECT count(*) FROM muster_job_history WHERE name = 'slow'"))
                        .as("none was started twice")
                        .isEqualTo(work.starts.get());
                assertThat(other.health().ok()).isTrue();
                for (Connection connection : taken) {
                    connection.close();
                }
                return took;
            }
        }
    }

    private static String get(String url) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    private String status(JobId id) {
        return database.column("SELECT status FROM muster_jobs WHERE id = '" + id + "'").stream()
                .findFirst()
                .orElse("gone");
    }
}
