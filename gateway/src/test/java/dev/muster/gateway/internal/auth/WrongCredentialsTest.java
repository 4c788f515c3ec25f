package dev.muster.gateway.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.Caller;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.runtime.Clock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WrongCredentialsTest {
    private static final String BALANCER = "10.0.0.1";
    private static final Caller ADA = Caller.program("ada");

    private final Set<String> live = new HashSet<>(Set.of("mk_ada", "mk_bob"));
    private final CredentialsAuthentication authentication = new CredentialsAuthentication(
            (shown, address) -> live.contains(shown) ? Optional.of(ADA) : Optional.empty(),
            (shown, address) -> Optional.empty(),
            Clock.system());

    private Caller show(String key, String address) {
        return authentication.authenticate(name -> name.equals("X-API-Key") ? key : null, address);
    }

    private void assertRefused(int status, String key, String address) {
        assertThatThrownBy(() -> show(key, address))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(status));
    }

    private void sendManyWrongKeys() {
        for (int i = 0; i < WrongCredentials.MOST; i++) {
            assertRefused(401, "mk_wrong" + i, BALANCER);
        }
    }

    @Test
    void anAddressWithManyWrongKeysHasToWait() {
        sendManyWrongKeys();

        assertRefused(429, "mk_wrong", BALANCER);
        assertRefused(429, "mk_bob", BALANCER);
        assertThat(show("mk_bob", "10.0.0.2")).isEqualTo(ADA);
    }

    @Test
    void wrongKeysDoNotLockOutWhoWasAcceptedBefore() {
        assertThat(show("mk_ada", BALANCER)).isEqualTo(ADA);

        sendManyWrongKeys();

        assertThat(show("mk_ada", BALANCER)).isEqualTo(ADA);
        assertRefused(429, "mk_wrong", BALANCER);
    }

    @Test
    void aKeyThatWasRevokedIsAWrongOneLikeOthers() {
        assertThat(show("mk_ada", BALANCER)).isEqualTo(ADA);
        sendManyWrongKeys();
        live.remove("mk_ada");

        assertRefused(401, "mk_ada", BALANCER);
        assertRefused(429, "mk_ada", BALANCER);
    }

    /** Otherwise a listener whose key was revoked could stay: who sends wrong keys all the time gets nothing but 429. */
    @Test
    void whoeverWasLetInIsAskedAboutWithoutBeingCounted() {
        assertThat(show("mk_ada", BALANCER)).isEqualTo(ADA);
        sendManyWrongKeys();
        live.remove("mk_ada");
        assertRefused(401, "mk_ada", BALANCER);
        assertRefused(429, "mk_ada", BALANCER);

        for (int i = 0; i <= WrongCredentials.MOST; i++) {
            assertThatThrownBy(() -> authentication.authenticateAgain(
                            name -> name.equals("X-API-Key") ? "mk_ada" : null, "10.0.0.3"))
                    .isInstanceOfSatisfying(
                            Refusal.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(401));
        }
        assertThat(show("mk_bob", "10.0.0.3")).isEqualTo(ADA);
    }
}
