package dev.muster.gateway.internal.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testkit.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NoncesTest {
    private final FakeClock clock = new FakeClock();
    private final Nonces nonces = new Nonces(clock);

    @Test
    void aNonceIsGoodForOnce() {
        assertThat(nonces.use("a", Duration.ofSeconds(20))).isTrue();
        assertThat(nonces.use("b", Duration.ofSeconds(20))).isTrue();
        clock.advance(Duration.ofSeconds(19));
        assertThat(nonces.use("a", Duration.ofSeconds(20))).isFalse();
    }

    @Test
    void noncesAreForgottenWhenTheirTicketsHaveExpired() {
        for (int i = 0; i < 1_000; i++) {
            nonces.use("n" + i, Duration.ofSeconds(20));
        }
        clock.advance(Duration.ofSeconds(20));
        nonces.use("later", Duration.ofSeconds(20));
        assertThat(nonces.size()).isEqualTo(1);
    }
}
