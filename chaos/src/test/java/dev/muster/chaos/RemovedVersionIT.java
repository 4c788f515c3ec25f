package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A deployment removes a version that has live runs, with the settings that a user gets. */
class RemovedVersionIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(RemovedVersionIT.class);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** What an operator writes in psql, as it is told in other products. */
    private static final String OPERATORS_UPDATE = "UPDATE muster_workflow_runs"
            + " SET status = 'retired_unresumable', resolution_reason = 'v1 was removed'"
            + " WHERE workflow_name = 'approval' AND workflow_version = 'v1'"
            + " AND status NOT IN ('completed','compensated','failed',"
            + " 'retired_unresumable','cancelled_by_operator')";

    private NodeProcess launch(String id, Class<?> app, int port) {
        return launchWithDefaults(id, Map.of("app", app.getName(), "gateway.port", String.valueOf(port)));
    }

    private static HttpResponse<String> ready(int port) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + "/_api/ready");
        return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    /** Waits for this answer and returns how long that took. */
    private static Duration awaitReady(int port, int status, Duration limit) {
        long start = System.nanoTime();
        await("ready is " + status)
                .atMost(limit)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> ready(port).statusCode() == status);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void nodesWithoutItAreNotReadyUntilAnOperatorGivesItsRunsUp() throws Exception {
        int port = MusterNodes.freePort();
        int restarted = MusterNodes.freePort();
        NodeProcess before = launch("before", Waiters.Before.class, MusterNodes.freePort());
        NodeProcess after = launch("after", Waiters.After.class, port);
        before.awaitReady();
        after.awaitReady();
        JobId run = client.workflows().start(RunRequest.of("approval", null).version("v1"));
        await().atMost(SOON)
                .until(() -> client.workflows().find(run).orElseThrow().status() == RunStatus.WAITING);
        awaitReady(port, 200, SOON);
        await("ready while a live node has the version")
                .during(Duration.ofSeconds(4))
                .atMost(SOON)
                .until(() -> ready(port).statusCode() == 200);
        String whileServed = ready(port).body();

        before.terminate();
        before.exitCode(SOON);
        Duration unready = awaitReady(port, 503, Duration.ofSeconds(10));
        assertThat(ready(port).body())
                .as("nothing but that")
                .isEqualTo(whileServed
                        .replace("\"ready\":true", "\"ready\":false")
                        .replace("\"workflows\":true", "\"workflows\":false"))
                .contains("\"workflows\":false");
        launch("restarted", Waiters.After.class, restarted).awaitReady();
        assertThat(ready(restarted).statusCode()).isEqualTo(503);

        database.execute(OPERATORS_UPDATE);
        Duration readyAgain = awaitReady(port, 200, Duration.ofSeconds(5));
        awaitReady(restarted, 200, Duration.ofSeconds(5));

        log.info(
                "not ready {} ms after the last node with the version had left, ready {} ms after the UPDATE",
                unready.toMillis(),
                readyAgain.toMillis());
        assertThat(client.workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
    }
}
