package dev.muster.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Caller;
import dev.muster.access.Scope;
import dev.muster.runtime.NamePatterns;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Callers that the web server around the gateway knows. */
class MountedAuthenticationTest {
    private final MountedAuthentication authentication = new MountedAuthentication((header, address) -> {
        throw new AssertionError("the caller is known");
    });

    @Test
    void theGatewayGetsTheCallerWithAllThatRestrictsIt() {
        for (NamePatterns names : List.of(NamePatterns.ALL, NamePatterns.of("report", "mail_*"), NamePatterns.of())) {
            Caller caller = new Caller(
                    "user:ada",
                    "Ada",
                    Scope.WRITE,
                    Set.of("clerk", "auditor"),
                    names,
                    Optional.of("acme"),
                    Optional.of("10.0.0.7"));
            String written = MountedAuthentication.write(caller);

            assertThat(authentication.authenticate(name -> written, "10.0.0.7")).isEqualTo(caller);
        }
    }
}
