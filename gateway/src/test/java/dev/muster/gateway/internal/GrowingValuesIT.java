package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.RawJson;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small requests with values that would be large when they are read, at every door through which a value comes in. */
@MusterTest
class GrowingValuesIT {
    private static final Map<String, String> PLAIN = Map.of();
    private static final Map<String, String> ENCRYPTED =
            Map.of("encryption.keys", "k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=", "encryption.required", "true");

    private static final String MOST_BYTES = "1048576";

    /** What is wrong with each, as the answer names it. */
    private static final Map<String, String> VALUES = new LinkedHashMap<>();

    static {
        VALUES.put("[1e131071]", "more than 1000 digits");
        VALUES.put(list("1e131071", 3_500), "more than 1000 digits");
        VALUES.put(list("1e131071", 9_000), "more than 1000 digits");
        VALUES.put("{\"a\":{\"b\":-1E+1000}}", "more than 1000 digits");
        VALUES.put("[1e-131071]", "more than 1000 digits");
        VALUES.put("[0e-16383]", "more than 1000 digits");
        VALUES.put("[0e99999]", "more than 1000 digits");
        VALUES.put("[-0e999999999]", "more than 1000 digits");
        VALUES.put("[1e99999999999]", "");
        VALUES.put("[" + "7".repeat(5_000) + "]", "1000");
        VALUES.put(list("1e999", 2_000), MOST_BYTES);
        VALUES.put("[\"\\u0000\"]", "U+0000");
        VALUES.put("{\"\\ud800\":1}", "half a surrogate pair");
    }

    private static String list(String number, int times) {
        return "[" + (number + ",").repeat(times - 1) + number + "]";
    }

    static final class Shop {
        @Job("work")
        RawJson work(RawJson value) {
            return value;
        }

        @Job(value = "grow", maxAttempts = 3)
        RawJson grow(String value) {
            return new RawJson(value);
        }

        @Workflow(name = "order", version = "v1")
        Object order(WorkflowContext wf, Object input) {
            return wf.awaitEvent("go", Object.class);
        }

        @Query
        RawJson echo(RawJson args) {
            return args;
        }
    }

    /** Requests by their paths; # stands for the value. */
    private static Map<String, String> doors(String run) {
        return Map.ofEntries(
                Map.entry("POST /_api/jobs", "{\"name\":\"work\",\"args\":#}"),
                Map.entry(
                        "POST /_api/jobs/many",
                        "{\"jobs\":[{\"name\":\"work\",\"args\":1},{\"name\":\"work\",\"args\":#}]}"),
                Map.entry("POST /_api/batches", "{\"name\":\"b\",\"jobs\":[{\"name\":\"work\",\"args\":#}]}"),
                Map.entry(
                        "POST /_api/crons",
                        "{\"name\":\"c\",\"expression\":\"0 3 * * *\",\"job\":\"work\",\"args\":#}"),
                Map.entry(
                        "PUT /_api/crons/kept",
                        "{\"name\":\"kept\",\"expression\":\"0 3 * * *\",\"job\":\"work\",\"args\":#}"),
                Map.entry("POST /_api/workflows", "{\"workflow_name\":\"order\",\"input\":#}"),
                Map.entry("POST /_api/workflows/" + run + "/signal", "{\"event\":\"go\",\"payload\":#}"),
                Map.entry("POST /_api/graphs", "{\"tasks\":[{\"id\":\"a\",\"name\":\"work\",\"inputs\":#}]}"),
                Map.entry(
                        "POST /",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":{\"tasks\":[{\"id\":\"a\",\"name\":\"work\",\"inputs\":#}]}}"),
                Map.entry("POST /_api/rpc/echo", "#"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areRefusedAtEachDoor(boolean encrypted, Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, encrypted ? ENCRYPTED : PLAIN, new Shop());
        String key = gateway.key(Scope.ADMIN);
        gateway.post("/_api/crons", "{\"name\":\"kept\",\"expression\":\"0 3 * * *\",\"job\":\"work\",\"args\":[1]}");
        String run = gateway.post("/_api/workflows", "{\"workflow_name\":\"order\",\"input\":{}}")
                .text("id");
        Map<String, Long> before = rows(cluster);

        doors(run)
                .forEach((door, body) -> VALUES.forEach((value, problem) -> {
                    if (door.endsWith("/rpc/echo") && problem.equals(MOST_BYTES)) {
                        // Args of functions are not stored, and may be as large as the body.
                        return;
                    }
                    String[] route = door.split(" ");
                    Response refused = gateway.send(route[0], route[1], key, body.replace("#", value));
                    String what = door + " " + (value.length() < 100 ? value : value.substring(0, 100)) + ": "
                            + refused.body();
                    // A call of JSON-RPC has been understood, and its answer has the error.
                    assertThat(refused.status()).as(what).isEqualTo(door.equals("POST /") ? 200 : 400);
                    assertThat(refused.body())
                            .as(what)
                            .contains("\"error\":{", problem)
                            .hasSizeLessThan(2_000);
                }));

        assertThat(rows(cluster)).isEqualTo(before);
        for (String path : List.of("/_api/jobs", "/_api/workflows", "/_api/crons", "/_api/graphs", "/_api/batches")) {
            assertThat(gateway.get(path).status()).as(path).isEqualTo(200);
        }
        assertThat(gateway.get("/_api/crons/kept/spec").text("args", 0)).isEqualTo("1");
        String job = gateway.post("/_api/jobs", "{\"name\":\"work\",\"args\":[1e3,1e998]}")
                .text("id");
        JobInfo ended = cluster.awaitEnded(JobId.of(job));
        assertThat(ended.status()).as(ended.toString()).isEqualTo(JobStatus.COMPLETED);
    }

    private static Map<String, Long> rows(Cluster cluster) {
        Map<String, Long> rows = new LinkedHashMap<>();
        for (String table : List.of(
                "muster_jobs",
                "muster_batches",
                "muster_crons",
                "muster_graphs",
                "muster_workflow_runs",
                "muster_workflow_events")) {
            rows.put(table, cluster.database().number("SELECT count(*) FROM " + table));
        }
        return rows;
    }

    /** A result that cannot be stored makes its job a dead letter, at once and without an effect on others. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void areNoResults(boolean encrypted, Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, encrypted ? ENCRYPTED : PLAIN, new Shop());
        for (String value : List.of("[1e131071]", list("1e999", 2_000), "[\\\"\\\\u0000\\\"]", "[1,")) {
            String job = gateway.post("/_api/jobs", "{\"name\":\"grow\",\"args\":\"" + value + "\"}")
                    .text("id");
            JobInfo ended = cluster.awaitEnded(JobId.of(job));
            assertThat(ended.status()).as(value).isEqualTo(JobStatus.FAILED);
            assertThat(ended.attempt()).as("no retry can change it").isEqualTo(1);
            assertThat(ended.error().orElseThrow()).startsWith("its result ");
        }
        assertThat(gateway.get("/_api/jobs").status()).isEqualTo(200);
    }

    @Test
    void metadataHasALimitOfItsOwn(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        Map<String, Long> before = rows(cluster);
        String job = "{\"name\":\"work\",\"args\":1,\"metadata\":{\"a\":\"" + "x".repeat(65_536) + "\"}}";

        for (Response refused :
                List.of(gateway.post("/_api/jobs", job), gateway.post("/_api/jobs/many", "{\"jobs\":[" + job + "]}"))) {
            assertThat(refused.status()).as(refused.body()).isEqualTo(400);
            assertThat(refused.text("error", "message")).contains("metadata of job 'work'", "at most 65536");
        }
        assertThat(rows(cluster)).isEqualTo(before);
    }

    /** A filter in front that has read the first one would have let the second one pass. */
    @Test
    void membersThatAreThereTwiceAreRefused(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        Map<String, Long> before = rows(cluster);
        for (String body : List.of(
                "{\"name\":\"nap\",\"name\":\"work\",\"args\":{}}",
                "{\"name\":\"work\",\"args\":{},\"n\\u0061me\":\"work\"}",
                "{\"name\":\"work\",\"args\":{\"a\":1,\"a\":2}}",
                "{\"name\":\"work\",\"args\":1,\"metadata\":{\"a\":\"1\",\"a\":\"2\"}}")) {
            Response refused = gateway.post("/_api/jobs", body);
            assertThat(refused.status()).as(body).isEqualTo(400);
            assertThat(refused.body()).as(body).contains("twice");
        }
        assertThat(gateway.post("/", "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"tasks.methods\"}")
                        .body())
                .contains("-32700", "twice");
        assertThat(rows(cluster)).isEqualTo(before);
    }
}
