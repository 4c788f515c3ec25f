package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobRequest;
import dev.muster.spring.process.WorkerApplication;
import dev.muster.testing.LongTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** SIGTERM ends an application when its jobs are done, and loses none. */
@OnceForBoth
class TerminationIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Pattern STARTED = Pattern.compile("started, port=(\\w+)");

    /** What the JVM of a program ends with that SIGTERM has ended. */
    private static final int BY_SIGTERM = 128 + 15;

    /** What is logged if the node outlives what it needs, or does not wait for its jobs. A busy machine has other warnings. */
    private static final String[] OF_A_BAD_END = {
        " ERROR ",
        "\tat dev.muster",
        "HikariDataSource",
        "has been closed",
        "Connection is not available",
        "without waiting any longer",
        "creation not allowed",
        "NoClassDefFoundError",
        "RejectedExecutionException"
    };

    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = FreshDatabase.migrated();
        database.execute("CREATE TABLE go (at timestamptz)");
        database.execute("CREATE TABLE done (job text, attempt int)");
    }

    @AfterEach
    void close() {
        database.close();
    }

    private ApplicationProcess start(Path folder, String... arguments) {
        List<String> all = new ArrayList<>(List.of(WithoutJpa.arguments(arguments)));
        all.add("--spring.flyway.enabled=false");
        all.add("--spring.security.user.password=secret");
        all.add("--logging.level.dev.muster=info");
        return new ApplicationProcess(
                folder, WorkerApplication.class.getName(), database.arguments(all.toArray(String[]::new)));
    }

    private Set<String> running() {
        return new HashSet<>(database.column("SELECT id::text FROM muster_jobs WHERE status = 'running'"));
    }

    private void awaitDraining() {
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_nodes WHERE status = 'draining'") == 1);
    }

    private void finishJobs() {
        database.execute("INSERT INTO go VALUES (now())");
    }

    private void assertCompletedInFirstAttempt(Set<String> jobs) {
        assertThat(database.column("SELECT job FROM done WHERE attempt = 1")).containsAll(jobs);
        assertThat(database.column("SELECT id::text FROM muster_job_history WHERE status = 'completed'"))
                .containsAll(jobs);
        assertThat(running()).isEmpty();
        assertThat(database.number("SELECT count(*) FROM muster_nodes")).isZero();
    }

    private static void assertEndedQuietly(ApplicationProcess application) throws InterruptedException {
        assertThat(application.awaitExit()).as(application.output()).isEqualTo(BY_SIGTERM);
        assertThat(application.output()).doesNotContain(OF_A_BAD_END);
    }

    @Test
    void requestsEnqueueWhileJobsEnd(@TempDir Path folder) throws Exception {
        try (ApplicationProcess application = start(folder, "--muster.worker.concurrency=4")) {
            URI address = URI.create("http://127.0.0.1:" + application.awaitOutput(STARTED) + "/work");
            Set<String> accepted = ConcurrentHashMap.newKeySet();
            CompletableFuture<Void> requests = CompletableFuture.runAsync(() -> enqueueUntilRefused(address, accepted));
            await().atMost(SOON).until(() -> running().size() == 4);
            Set<String> running = running();

            application.terminate();
            awaitDraining();
            int before = accepted.size();
            await().atMost(SOON).until(() -> accepted.size() > before + 5);
            assertThat(application.isAlive()).isTrue();
            finishJobs();

            assertEndedQuietly(application);
            requests.get(2, TimeUnit.MINUTES);
            assertCompletedInFirstAttempt(running);
            assertThat(database.column(
                            "SELECT id::text FROM muster_jobs UNION ALL SELECT id::text FROM muster_job_history"))
                    .as("every request that was answered has its job")
                    .containsAll(accepted);
            assertThat(database.number("SELECT count(*) FROM done"))
                    .as("each job once")
                    .isEqualTo(database.number("SELECT count(DISTINCT job) FROM done"));
        }
    }

    private static void enqueueUntilRefused(URI address, Set<String> accepted) {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(address)
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofMinutes(2))
                .build();
        while (true) {
            try {
                HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) {
                    throw new AssertionError("status " + answer.statusCode() + ": " + answer.body());
                }
                accepted.add(answer.body());
            } catch (IOException e) {
                // The web server has stopped.
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @LongTest(
            twin = TerminationIT.class,
            test = "requestsEnqueueWhileJobsEnd",
            why = "an application that has no web server")
    @Test
    void anApplicationWithoutAWebServerEndsWithItsJobs(@TempDir Path folder) throws Exception {
        try (ApplicationProcess application = start(folder, "--spring.main.web-application-type=none")) {
            assertThat(application.awaitOutput(STARTED)).isEqualTo("none");
            enqueue(3);
            await().atMost(SOON).until(() -> running().size() == 3);
            Set<String> running = running();

            application.terminate();
            awaitDraining();
            enqueue(1);
            finishJobs();

            assertEndedQuietly(application);
            assertCompletedInFirstAttempt(running);
            assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE status = 'pending'"))
                    .as("for the next node")
                    .isEqualTo(1);
        }
    }

    /** The job goes back to the queue; whoever runs it next has its second attempt. */
    @Test
    void aJobThatDoesNotEndInTimeIsLeftToOthers(@TempDir Path folder) throws Exception {
        try (ApplicationProcess application =
                start(folder, "--spring.main.web-application-type=none", "--muster.worker.drain-timeout=1s")) {
            application.awaitOutput(STARTED);
            enqueue(1);
            await().atMost(SOON).until(() -> running().size() == 1);

            application.terminate();

            assertThat(application.awaitExit()).as(application.output()).isEqualTo(BY_SIGTERM);
            assertThat(database.number("SELECT count(*) FROM muster_jobs WHERE status = 'pending'"))
                    .isEqualTo(1);
            assertThat(database.number("SELECT count(*) FROM done")).isZero();
            assertThat(database.number("SELECT count(*) FROM muster_nodes")).isZero();
            assertThat(application.output()).doesNotContain("HikariDataSource", "has been closed");
        }
    }

    private void enqueue(int jobs) {
        try (Muster client = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(new DriverManagerDataSource(database.url))
                .build()) {
            for (int i = 0; i < jobs; i++) {
                client.jobs().enqueue(JobRequest.of("work"));
            }
        }
    }
}
