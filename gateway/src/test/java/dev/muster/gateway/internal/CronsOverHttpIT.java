package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.Scope;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.util.List;
import org.junit.jupiter.api.Test;

@MusterTest
class CronsOverHttpIT {
    private static String spec(String expression) {
        return "{\"name\":\"nightly\",\"expression\":\"" + expression + "\",\"job\":\"report\"}";
    }

    @Test
    void aChangeThatSomebodyElseMadeMeanwhileIsNotOverwritten(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String key = gateway.key(Scope.ADMIN);
        assertThat(gateway.post("/_api/crons", spec("0 3 * * *")).status()).isEqualTo(201);
        String tag = gateway.get("/_api/crons/nightly").header("ETag");

        Response first = gateway.send("PUT", "/_api/crons/nightly", key, spec("0 4 * * *"), "If-Match", tag);
        Response second = gateway.send("PUT", "/_api/crons/nightly", key, spec("0 5 * * *"), "If-Match", tag);
        Response third = gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", tag);

        assertThat(first.status()).as(first.body()).isEqualTo(200);
        assertThat(second.status()).isEqualTo(412);
        assertThat(second.text("error", "code")).isEqualTo("precondition_failed");
        assertThat(third.status()).isEqualTo(412);
        assertThat(gateway.get("/_api/crons/nightly").text("expression")).isEqualTo("0 4 * * *");
        assertThat(gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", first.header("ETag"))
                        .status())
                .isEqualTo(204);
    }

    @Test
    void whateverShowsACronHasItsTagAndAnyOfSeveralTagsMayBeTheRightOne(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String key = gateway.key(Scope.ADMIN);

        String tag = gateway.post("/_api/crons", spec("0 3 * * *")).header("ETag");

        assertThat(tag).matches("\"[^\"]+\"");
        assertThat(gateway.get("/_api/crons/nightly").header("ETag")).isEqualTo(tag);
        assertThat(gateway.get("/_api/crons/nightly/spec").header("ETag")).isEqualTo(tag);
        for (String other : List.of("\"older\"", "W/" + tag, "older", tag.replace("\"", ""))) {
            Response refused = gateway.send("PUT", "/_api/crons/nightly", key, spec("0 4 * * *"), "If-Match", other);
            assertThat(refused.status()).as(other).isEqualTo(412);
        }
        Response changed = gateway.send(
                "PUT", "/_api/crons/nightly", key, spec("0 4 * * *"), "If-Match", "\"older\",W/\"weak\" , " + tag);
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
        Response paused = gateway.post("/_api/crons/nightly/pause", null);
        assertThat(paused.header("ETag"))
                .isEqualTo(gateway.get("/_api/crons/nightly").header("ETag"));
        assertThat(gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", tag + ", *")
                        .status())
                .isEqualTo(412);
        assertThat(gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", "*")
                        .status())
                .isEqualTo(204);
    }

    @Test
    void theAuditNamesTheCronThatWasCreated(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);

        gateway.post("/_api/crons", spec("0 3 * * *"));

        assertThat(cluster.client().audit().list(AuditQuery.newest().target("nightly")))
                .extracting(AuditEntry::action)
                .containsExactly("crons.create");
    }
}
