package dev.muster.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.CallerInfo.Auth;
import dev.muster.runtime.NamePatterns;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CallerTest {
    private static Caller of(String id, String name, Optional<String> tenant, Optional<String> address) {
        return Caller.builder(id, name, Scope.WRITE)
                .roles(Set.of("clerk"))
                .names(NamePatterns.of("mail_*"))
                .tenant(tenant)
                .address(address)
                .build();
    }

    @Test
    void aCallerAtAnAddressMayDoNeitherMoreNorLess() {
        Caller caller = of("user:ada", "Ada", Optional.of("acme"), Optional.empty());

        assertThat(caller.at("10.0.0.7"))
                .isEqualTo(of("user:ada", "Ada", Optional.of("acme"), Optional.of("10.0.0.7")));
    }

    @Test
    void whatCouldBeTakenForSomebodyElseIsAProblem() {
        assertThat(of("user:ada", "Ada", Optional.of("acme"), Optional.empty()).problem())
                .isEmpty();
        assertThat(of("user:ada", "Ada", Optional.of(""), Optional.empty()).problem())
                .isPresent();
        assertThat(of("key:ada", "Ada", Optional.empty(), Optional.empty()).problem())
                .isPresent();
        assertThat(of("user:ada", "Ada", Optional.empty(), Optional.empty()).toBuilder()
                        .auth(Auth.KEY)
                        .build()
                        .problem())
                .as("an application cannot say that its caller has shown a key")
                .contains("a caller that an application names has Auth.APPLICATION, not Auth.KEY");
        assertThat(of("user:\nada", "Ada", Optional.empty(), Optional.empty()).problem())
                .isPresent();
    }
}
