package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.gateway.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
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
        assertThat(enqueued.header("Location")).isEqualTo("/_api/jobs/" + id);
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
}
