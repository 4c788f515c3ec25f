package dev.muster.internal.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.MusterConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallAddressTest {

    @Test
    void anAddressIsAHostAndAPort() {
        assertThat(CallAddress.parse("10.0.0.1:7000")).contains(new CallAddress("10.0.0.1", 7000));
        assertThat(CallAddress.parse("node-1.internal:0")).contains(new CallAddress("node-1.internal", 0));
        assertThat(CallAddress.parse("[::1]:65535")).contains(new CallAddress("[::1]", 65_535));
        for (String other :
                new String[] {"10.0.0.1", "::1", "::1:80", "http://a:80", "a:b", "a:65536", "a:-1", ":80", "a b:80"}) {
            assertThat(CallAddress.parse(other)).as(other).isEmpty();
        }
        assertThat(new CallAddress("[::1]", 1).socketAddress().getAddress().isLoopbackAddress())
                .isTrue();
        assertThat(new CallAddress("[::1]", 0).withPort(7)).hasToString("[::1]:7");
    }

    @Test
    void thePortIsNotThatOfTheGateway() {
        CallAddress address = new CallAddress("127.0.0.1", 7000);
        address.requireOwnPort(MusterConfig.defaults().with("gateway.port", "8080"));
        new CallAddress("127.0.0.1", 0).requireOwnPort(MusterConfig.defaults().with("gateway.port", "0"));

        assertThatThrownBy(() -> address.requireOwnPort(MusterConfig.defaults().with("gateway.port", "7000")))
                .hasMessageContaining("node.advertise is '127.0.0.1:7000', and gateway.port is 7000 too");
        assertThatThrownBy(() ->
                        address.requireOwnPort(MusterConfig.defaults().with(Map.of("gateway.health_port", "7000"))))
                .hasMessageContaining("gateway.health_port");
    }
}
