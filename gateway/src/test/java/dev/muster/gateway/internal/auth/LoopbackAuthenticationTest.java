package dev.muster.gateway.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.Scope;
import dev.muster.gateway.internal.route.Refusal;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopbackAuthenticationTest {
    private final LoopbackAuthentication authentication = new LoopbackAuthentication();

    @Test
    void aProgramOnThisMachineMayDoEverything() {
        Map<String, String> headers = Map.of("Host", "127.0.0.1:8080");

        assertThat(authentication.authenticate(headers::get, "127.0.0.1").scope())
                .isEqualTo(Scope.ADMIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"})
    void whoComesThroughAProxyMayBeAnywhere(String name) {
        Map<String, String> headers = new HashMap<>(Map.of("Host", "127.0.0.1:8080"));
        headers.put(name, "");

        assertThatThrownBy(() -> authentication.authenticate(headers::get, "127.0.0.1"))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining(name + " says that this request came through a proxy")
                .hasMessageContaining("gateway.auth");
    }
}
