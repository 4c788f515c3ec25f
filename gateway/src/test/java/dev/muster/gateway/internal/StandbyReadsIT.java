package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A gateway whose {@code database.read_url} names a standby that is behind: here one that never hears of any change. */
@MusterTest
class StandbyReadsIT {
    private static final String JOB = "{\"name\":\"later\",\"args\":\"x\",\"delay\":\"1h\"}";

    @Test
    void answersToChangesShowWhatWasChanged(Cluster cluster) {
        try (TestDatabase standby = TestDatabase.fromEnv()) {
            GatewayNode gateway = GatewayNode.start(cluster, Map.of("database.read_url", standby.url()));

            Response job = gateway.post("/_api/jobs", JOB);
            Response raised = gateway.post("/_api/jobs/" + job.text("id") + "/reprioritise", "{\"priority\":\"high\"}");
            Response limited =
                    gateway.send("PUT", "/_api/queues/default/limit", gateway.key(Scope.ADMIN), "{\"max_running\":3}");
            Response graph = gateway.post("/_api/graphs", "{\"tasks\":[{\"id\":\"a\",\"name\":\"later\"}]}");

            assertThat(job.status()).as(job.body()).isEqualTo(201);
            assertThat(raised.status()).as(raised.body()).isEqualTo(200);
            assertThat(raised.text("priority")).isEqualTo("high");
            assertThat(limited.status()).as(limited.body()).isEqualTo(200);
            assertThat(limited.text("max_running")).isEqualTo("3");
            assertThat(graph.status()).as(graph.body()).isEqualTo(201);
            assertThat(gateway.get("/_api/jobs/" + job.text("id")).status())
                    .as("what people look at is read on the standby")
                    .isEqualTo(404);
        }
    }
}
