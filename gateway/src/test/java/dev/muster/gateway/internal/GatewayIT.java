package dev.muster.gateway.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.RawHttp.Raw;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@MusterTest
class GatewayIT {

    static final class Greetings {
        @Job("greet")
        String greet(String name) {
            return "hello " + name;
        }
    }

    @Test
    void enqueuesAndShowsAJob(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Greetings());

        Response enqueued = gateway.post("/_api/jobs", "{\"name\":\"greet\",\"args\":\"Ada\"}");

        assertThat(enqueued.status()).as(enqueued.body()).isEqualTo(201);
        String id = enqueued.text("id");
        assertThat(enqueued.header("Location")).isEqualTo("jobs/" + id);
        assertThat(gateway.uri("/_api/jobs").resolve(enqueued.header("Location")))
                .isEqualTo(gateway.uri("/_api/jobs/" + id));
        cluster.awaitEnded(JobId.of(id));
        Response shown = gateway.get("/_api/jobs/" + id);
        assertThat(shown.text("status")).isEqualTo("completed");
        assertThat(shown.text("result")).isEqualTo("hello Ada");
        assertThat(gateway.send("GET", "/_api/jobs/" + id, null, null).status()).isEqualTo(401);
        assertThat(gateway.send("POST", "/_api/jobs", gateway.key(Scope.READ), "{}")
                        .status())
                .isEqualTo(403);
        Response unknown = gateway.send("GET", "/_api/nope", null, null);
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.text("error", "code")).isEqualTo("not_found");
    }

    @Test
    void headIsAnsweredAsGetWithoutTheBody(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Greetings());
        String key = gateway.key(Scope.READ);

        Response queues = gateway.send("HEAD", "/_api/queues", key, null);

        assertThat(queues.status()).isEqualTo(200);
        assertThat(queues.body()).isEmpty();
        assertThat(queues.header("Content-Length"))
                .isEqualTo(gateway.get("/_api/queues").header("Content-Length"));
        assertThat(gateway.send("HEAD", "/_api/queues", null, null).status()).isEqualTo(401);
        assertThat(gateway.send("HEAD", "/_api/jobs/" + JobId.next(), key, null).status())
                .isEqualTo(404);
        for (String path : List.of("/", "/assets/style.css")) {
            Response file = gateway.send("HEAD", path, null, null);
            assertThat(file.status()).isEqualTo(200);
            assertThat(file.body()).isEmpty();
            assertThat(file.header("Content-Length"))
                    .isEqualTo(gateway.send("GET", path, null, null).header("Content-Length"));
        }
        assertThat(gateway.send("HEAD", "/assets/nothing.js", null, null).status())
                .isEqualTo(404);
        gateway.node.cutDatabase();
        // An answer that was read a moment before may still be given.
        await().until(() -> gateway.send("HEAD", "/_api/ready", null, null).status() == 503);
    }

    @Test
    void aWorkflowThatNobodyHasPublishedCannotBePausedNorResumed(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Greetings());

        for (String verb : List.of("pause", "resume")) {
            Response refused = gateway.post("/_api/workflows/definitions/no_such/" + verb, null);
            assertThat(refused.status()).isEqualTo(404);
            assertThat(refused.text("error", "message")).isEqualTo("there is no workflow no_such");
        }
    }

    @Test
    void jobsAreFoundByRepeatedParameters(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Greetings());
        List<String> ids = new ArrayList<>();
        for (String customer : List.of("42", "43", "44")) {
            ids.add(gateway.post(
                            "/_api/jobs",
                            "{\"name\":\"greet\",\"args\":\"Ada\",\"tags\":[\"vip\",\"eu\"],\"metadata\":{\"customer\":\""
                                    + customer + "\"}}")
                    .text("id"));
        }

        String some = "/_api/jobs?id=" + ids.get(0) + "&id=" + ids.get(1) + "&tag=vip&tag=eu";
        assertThat((List<?>) gateway.get(some).at("jobs")).hasSize(2);
        assertThat(gateway.get(some + "&metadata=customer%3D43").text("jobs", 0, "id"))
                .isEqualTo(ids.get(1));
        assertThat((List<?>) gateway.get(some + "&metadata=customer%3D43").at("jobs"))
                .hasSize(1);
        assertThat(gateway.get("/_api/jobs?metadata=customer").status()).isEqualTo(400);
    }

    /** Generated clients send null for a body that their caller leaves out. */
    @Test
    void nullIsNoBodyWhereThereNeedsToBeNone(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Greetings());
        String id = gateway.create(KeyRequest.of("old", Scope.READ)).info().id();

        assertThat(gateway.post("/_api/keys/" + id + "/rotate", "null").status())
                .isEqualTo(201);
        assertThat(gateway.post("/_api/jobs", "null").status()).isEqualTo(400);
    }

    @Test
    void saysWhichMethodsAPathHas(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Greetings());

        Response refused = gateway.send("DELETE", "/_api/jobs", null, null);

        assertThat(refused.status()).isEqualTo(405);
        assertThat(refused.header("Allow").split(", ")).containsExactlyInAnyOrder("GET", "HEAD", "POST");
        assertThat(refused.text("error", "message"))
                .isEqualTo("this path has no method DELETE; it has " + refused.header("Allow"));
    }

    @Test
    void answersSayHowLongTheyAre(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Greetings());

        Response queues = gateway.get("/_api/queues");

        assertThat(queues.header("Content-Length"))
                .isEqualTo(String.valueOf(queues.body().getBytes(UTF_8).length));
        assertThat(queues.header("Content-Encoding")).isEmpty();
    }

    @Test
    void countsTheRequestsOfACallerAndTheCallsOfABatch(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.requests_per_minute", "5"), new Greetings());
        String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.methods\"}";

        Response batch = gateway.post("/", "[" + call + "," + call + "," + call + "]");
        Response tooMany = gateway.post("/", "[" + call + "," + call + "," + call + "]");
        Response last = gateway.get("/_api/queues");

        assertThat(batch.status()).as(batch.body()).isEqualTo(200);
        assertThat(tooMany.status()).isEqualTo(429);
        assertThat(tooMany.text("error", "message")).endsWith("; this batch counts as 3");
        assertThat(tooMany.header("Retry-After")).isNotEmpty();
        assertThat(last.status()).isEqualTo(200);
        assertThat(gateway.get("/_api/queues").status()).isEqualTo(429);
        assertThat(gateway.send("GET", "/_api/queues", gateway.key(Scope.READ), null)
                        .status())
                .as("another caller has a limit of its own")
                .isEqualTo(200);
    }

    /** Who sends a body in chunks does not say beforehand how long it is. */
    @Test
    void aBodyInChunksIsRefusedAtTheSameLimit(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.max_body", "64k"), new Greetings());

        assertThat(sendInChunks(gateway, 1_000).status()).isEqualTo(201);
        Raw refused = sendInChunks(gateway, 70_000);

        assertThat(refused.status()).as(refused.text()).isEqualTo(413);
        assertThat(refused.body()).contains("\"too_large\"", "gateway.max_body");
    }

    private static Raw sendInChunks(GatewayNode gateway, int length) {
        String body = "{\"name\":\"greet\",\"args\":\"" + "x".repeat(length) + "\"}";
        return RawHttp.send(
                gateway.port(),
                "POST /_api/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + gateway.key(Scope.WRITE)
                        + "\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n");
    }
}
