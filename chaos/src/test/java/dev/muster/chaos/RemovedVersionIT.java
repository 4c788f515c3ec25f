package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.job.JobId;
import dev.muster.testing.Measured;
import dev.muster.testing.Periods;
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

/** A deployment removes a version that has live runs. */
class RemovedVersionIT extends ChaosIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** What an operator writes in psql, as it is told in other products. */
    private static final String OPERATORS_UPDATE = "UPDATE muster_workflow_runs"
            + " SET status = 'retired_unresumable', resolution_reason = 'v1 was removed'"
            + " WHERE workflow_name = 'approval' AND workflow_version = 'v1'"
            + " AND status NOT IN ('completed','compensated','failed',"
            + " 'retired_unresumable','cancelled_by_operator')";

    private Muster start(String id, Class<?> app) {
        return startHere(id, Map.of("app", app.getName(), "gateway.port", "0"));
    }

    private static HttpResponse<String> ready(Muster node) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + node.ports().get(0) + "/_api/ready");
        return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    /** Waits for this answer. */
    private static void awaitReady(Muster node, int status, Duration promised) {
        long start = System.nanoTime();
        await("ready is " + status).atMost(SOON).until(() -> ready(node).statusCode() == status);
        Measured.within(promised, Duration.ofNanos(System.nanoTime() - start), "that readiness is " + status);
    }

    @Test
    void nodesWithoutItAreNotReadyUntilAnOperatorGivesItsRunsUp() throws Exception {
        Muster before = start("before", Waiters.Before.class);
        Muster after = start("after", Waiters.After.class);
        JobId run = client.workflows().start(RunRequest.of("approval", null).version("v1"));
        await().atMost(SOON)
                .until(() -> client.workflows().find(run).orElseThrow().status() == RunStatus.WAITING);
        awaitReady(after, 200, SOON);
        Periods.nothingHappensFor(
                Duration.ofSeconds(3),
                () -> assertThat(ready(after).statusCode())
                        .as("ready while a live node has the version")
                        .isEqualTo(200));
        String whileServed = ready(after).body();

        before.close();
        awaitReady(after, 503, Duration.ofSeconds(10));
        assertThat(ready(after).body())
                .as("nothing but that")
                .isEqualTo(whileServed
                        .replace("\"ready\":true", "\"ready\":false")
                        .replace("\"workflows\":true", "\"workflows\":false"))
                .contains("\"workflows\":false");
        Muster restarted = start("restarted", Waiters.After.class);
        assertThat(ready(restarted).statusCode()).isEqualTo(503);

        database.execute(OPERATORS_UPDATE);
        awaitReady(after, 200, Duration.ofSeconds(5));
        awaitReady(restarted, 200, Duration.ofSeconds(5));

        assertThat(client.workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.RETIRED_UNRESUMABLE);
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
    }
}
