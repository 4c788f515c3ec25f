package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.access.ClusterKeyStore;
import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** There is one key that signs, made by whoever needs it first. It is accepted for a while after the next one was made. */
abstract class ClusterKeyStoreContract extends PortContract {
    private static final Duration SIGNS = Duration.ofHours(1);
    private static final Duration ACCEPTED = Duration.ofMinutes(10);

    private ClusterKeyStore keys() {
        return store().port(ClusterKeyStore.class);
    }

    private static byte[] secret(int number) {
        byte[] secret = new byte[32];
        Arrays.fill(secret, (byte) number);
        return secret;
    }

    private List<ClusterKey> renew(int secret) {
        return keys().renew(secret(secret), SIGNS, ACCEPTED);
    }

    @Test
    void whoeverNeedsAKeyFirstMakesIt() {
        assertThat(keys().live()).isEmpty();

        List<ClusterKey> made = renew(1);

        assertThat(made).hasSize(1);
        ClusterKey key = made.get(0);
        assertThat(key.secret()).isEqualTo(secret(1));
        assertThat(key.signsFor()).isBetween(SIGNS.minusSeconds(60), SIGNS);
        assertThat(key.validFor()).isBetween(SIGNS.plus(ACCEPTED).minusSeconds(60), SIGNS.plus(ACCEPTED));
        assertThat(key.toString()).doesNotContain("1, 1");
        assertThat(keys().live()).extracting(ClusterKey::number).containsExactly(key.number());
    }

    @Test
    void aKeyThatSignsIsNotReplaced() {
        renew(1);
        advance(SIGNS.minusMinutes(1));

        List<ClusterKey> keys = renew(2);

        assertThat(keys).hasSize(1);
        assertThat(keys.get(0).secret()).isEqualTo(secret(1));
    }

    @Test
    void theNextKeySignsWhileTheOldOneIsStillAccepted() {
        long first = renew(1).get(0).number();
        advance(SIGNS.plusSeconds(1));

        List<ClusterKey> both = renew(2);

        assertThat(both).hasSize(2);
        assertThat(both.get(0).number()).isGreaterThan(first);
        assertThat(both.get(0).secret()).isEqualTo(secret(2));
        assertThat(both.get(1).secret()).isEqualTo(secret(1));
        assertThat(both.get(1).signsFor()).isLessThanOrEqualTo(Duration.ZERO);
        assertThat(both.get(1).validFor()).isPositive();
        advance(ACCEPTED);
        assertThat(keys().live())
                .extracting(ClusterKey::number)
                .containsExactly(both.get(0).number());
    }

    @Test
    void ofManyNodesOneMakesTheKey() throws Exception {
        ExecutorService nodes = Executors.newFixedThreadPool(8);
        try {
            List<Callable<List<ClusterKey>>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int number = i;
                calls.add(() -> renew(number));
            }
            for (Future<List<ClusterKey>> renewed : nodes.invokeAll(calls)) {
                assertThat(renewed.get()).hasSize(1);
            }
        } finally {
            nodes.shutdownNow();
        }
        assertThat(keys().live()).hasSize(1);
    }
}
