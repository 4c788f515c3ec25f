package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.Scope;
import dev.muster.config.ConfigException;
import dev.muster.config.GatewayConfig;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a gateway does not do unless its settings say so. */
@MusterTest
class ClosedByDefaultIT {
    private static final String PAGE = "https://shop.example";

    @Test
    void aGatewayListensOnLoopbackAndElsewhereOnlyWithAuthentication() {
        GatewayConfig usual = MusterConfig.defaults().gateway();
        assertThat(usual.host()).isEqualTo("127.0.0.1");
        assertThat(usual.auth()).isEqualTo(GatewayConfig.Auth.REQUIRED);
        assertThat(MusterConfig.defaults()
                        .with(Map.of("gateway.host", "0.0.0.0"))
                        .gateway()
                        .host())
                .isEqualTo("0.0.0.0");
        assertThatThrownBy(
                        () -> MusterConfig.defaults().with(Map.of("gateway.host", "0.0.0.0", "gateway.auth", "none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("gateway.auth")
                .hasMessageContaining("others can reach that address");
    }

    @Test
    void pagesOfOtherOriginsCannotCall(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);

        assertThat(preflight(gateway, PAGE).header("Access-Control-Allow-Origin"))
                .isEmpty();
        assertThat(call(gateway, PAGE).header("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void onlyThePagesOfTheSettingsCanCall(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("gateway.cors", PAGE));

        assertThat(preflight(gateway, PAGE).status()).isEqualTo(204);
        assertThat(preflight(gateway, PAGE).header("Access-Control-Allow-Origin"))
                .isEqualTo(PAGE);
        assertThat(call(gateway, PAGE).header("Access-Control-Allow-Origin")).isEqualTo(PAGE);
        assertThat(call(gateway, PAGE).header("Access-Control-Expose-Headers")).contains("Location", "ETag");
        assertThat(call(gateway, PAGE).header("Access-Control-Allow-Credentials"))
                .isEmpty();
        for (String other :
                new String[] {"https://evil.example", "http://shop.example", PAGE + ".evil.example", "null"}) {
            assertThat(preflight(gateway, other).status()).as(other).isEqualTo(403);
            assertThat(preflight(gateway, other).header("Access-Control-Allow-Origin"))
                    .as(other)
                    .isEmpty();
            assertThat(call(gateway, other).header("Access-Control-Allow-Origin"))
                    .as(other)
                    .isEmpty();
        }
    }

    private static Response preflight(GatewayNode gateway, String origin) {
        return gateway.send(
                "OPTIONS", "/_api/queues", null, null, "Origin", origin, "Access-Control-Request-Method", "GET");
    }

    private static Response call(GatewayNode gateway, String origin) {
        return gateway.send("GET", "/_api/queues", gateway.key(Scope.READ), null, "Origin", origin);
    }
}
