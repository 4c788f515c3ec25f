package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.schedule.CronSpec;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Values that are small in the database and would be large in memory, on a node with 128 MB: they are refused, or are in nobody's way if they
 * are there already. The gateway's {@code GrowingValuesIT} sends them to every route, with encryption too; the store's {@code
 * OversizedValuesIT} reads them from every table.
 */
class OversizedValuesIT extends ChaosIT {
    private static final Map<String, String> SETTINGS =
            Map.of("app", GrowingValues.class.getName(), "gateway.port", "0");

    /** More than 1 GB as text. */
    private static final String UNPRINTABLE =
            "('[' || array_to_string(array_fill('1e131071'::text, ARRAY[9000]), ',') || ']')::jsonb";

    /** 3,500 of them ended two nodes with 1 GB each. */
    private static final String DEADLY = UNPRINTABLE.replace("9000", "3500");

    /** Small enough to look harmless. */
    private static final String SMALL = UNPRINTABLE.replace("9000", "60");

    private final HttpClient http = HttpClient.newHttpClient();
    private String key;
    private int port;

    private NodeProcess start() {
        key = client.apiKeys().create(KeyRequest.of("test", Scope.ADMIN)).key();
        NodeProcess node = node("small", SETTINGS);
        port = Integer.parseInt(
                node.ask("port", line -> line.startsWith("PORT "), SOON).substring("PORT ".length()));
        return node;
    }

    private HttpResponse<String> send(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofMinutes(2))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(method + " " + path, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void listsAnswer(NodeProcess node) {
        for (String path : List.of(
                "/_api/jobs",
                "/_api/jobs?status=failed",
                "/_api/workflows",
                "/_api/crons",
                "/_api/graphs",
                "/_api/batches",
                "/_api/overview")) {
            HttpResponse<String> answer = send("GET", path, "");
            assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
            assertThat(answer.body().length()).as(path).isLessThan(1_000_000);
        }
        assertThat(node.isAlive()).as(node.text()).isTrue();
        assertThat(node.text()).doesNotContain("OutOfMemoryError");
    }

    private void aJobRuns() {
        JobId job = jobs().enqueue(JobRequest.of("work", Map.of("a", 1)));
        assertThat(ended(job).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void areRefusedByANodeWith128Megabytes() {
        NodeProcess node = start();
        for (int times : List.of(1, 200, 1_500, 3_500, 9_000)) {
            String value = "[" + "1e131071,".repeat(times - 1) + "1e131071]";
            Map<String, String> requests = Map.of(
                    "/_api/jobs", "{\"name\":\"work\",\"args\":#}",
                    "/_api/jobs/many", "{\"jobs\":[{\"name\":\"work\",\"args\":#}]}",
                    "/_api/workflows", "{\"workflow_name\":\"order\",\"input\":#}",
                    "/_api/crons", "{\"name\":\"c\",\"expression\":\"0 3 * * *\",\"job\":\"work\",\"args\":#}",
                    "/_api/graphs", "{\"tasks\":[{\"id\":\"a\",\"name\":\"work\",\"inputs\":#}]}",
                    "/_api/batches", "{\"name\":\"b\",\"jobs\":[{\"name\":\"work\",\"args\":#}]}",
                    "/_api/rpc/echo", "#");
            requests.forEach((path, body) -> {
                HttpResponse<String> answer = send("POST", path, body.replace("#", value));
                assertThat(answer.statusCode())
                        .as("%s with %d: %s", path, times, answer.body())
                        .isEqualTo(400);
            });
        }
        listsAnswer(node);
        aJobRuns();
    }

    @Test
    void areInNobodysWayIfTheyAreThereAlready() {
        List<JobId> bad = List.of(
                jobs().enqueue(JobRequest.of("work", 1)),
                jobs().enqueue(JobRequest.of("work", 2)),
                jobs().enqueue(JobRequest.of("work", 3)));
        JobId good = jobs().enqueue(JobRequest.of("work", 4));
        database.execute("UPDATE muster_jobs SET args = CASE args::text WHEN '1' THEN " + UNPRINTABLE
                + " WHEN '2' THEN " + DEADLY + " WHEN '3' THEN " + SMALL + " ELSE args END");
        NodeProcess node = start();

        for (JobId id : bad) {
            JobInfo ended = ended(id);
            assertThat(ended.status()).as(ended.toString()).isEqualTo(JobStatus.FAILED);
            assertThat(ended.crashes()).isZero();
            assertThat(ended.error().orElseThrow()).contains("the args of job " + id + " cannot be read");
        }
        assertThat(ended(good).status()).isEqualTo(JobStatus.COMPLETED);

        client.crons().create(CronSpec.of("bad", "0 3 * * *", JobRequest.of("work", 1)));
        JobId run = client.workflows().start(RunRequest.of("order", Map.of()));
        await().atMost(SOON)
                .until(() -> client.workflows().find(run).orElseThrow().status() == RunStatus.WAITING);
        database.execute("UPDATE muster_crons SET args = " + UNPRINTABLE);
        database.execute("UPDATE muster_workflow_runs SET input = " + UNPRINTABLE);
        database.execute("UPDATE muster_job_history SET args = " + UNPRINTABLE + ", result = " + DEADLY);
        listsAnswer(node);
        assertThat(send("GET", "/_api/jobs/" + good, "").body()).contains("too large");
        assertThat(send("GET", "/_api/workflows/" + run, "").body()).contains("too large");
        client.workflows().signal(run, "go", 1);
        RunInfo failed = await().atMost(SOON)
                .until(
                        () -> client.workflows().find(run).orElseThrow(),
                        found -> found.status().isTerminal());
        assertThat(failed.status()).as(failed.toString()).isEqualTo(RunStatus.FAILED);
        assertThat(failed.error().orElseThrow()).contains("cannot be read");
        aJobRuns();
        assertThat(node.text()).doesNotContain("OutOfMemoryError");
    }
}
