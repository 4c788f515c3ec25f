package dev.muster.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class ClusterKeysTest {
    private long nanos;
    private final Rows rows = new Rows();
    private final ClusterKeys keys = new ClusterKeys(rows, () -> nanos);

    /** The table, with times by the test's clock. */
    private final class Rows implements ClusterKeyStore {
        private record Row(long number, byte[] secret, long signsUntil, long expires) {}

        private final List<Row> all = new ArrayList<>();
        private int reads;
        private boolean away;

        @Override
        public List<ClusterKey> live() {
            reads++;
            if (away) {
                throw new DatabaseUnavailable("away", null);
            }
            return all.stream()
                    .filter(row -> row.expires() > nanos)
                    .sorted((a, b) -> Long.compare(b.number(), a.number()))
                    .map(row -> new ClusterKey(
                            row.number(),
                            row.secret(),
                            Duration.ofNanos(row.signsUntil() - nanos),
                            Duration.ofNanos(row.expires() - nanos)))
                    .toList();
        }

        @Override
        public List<ClusterKey> renew(byte[] secret, Duration signs, Duration accepted) {
            if (all.stream().noneMatch(row -> row.signsUntil() > nanos)) {
                long signsUntil = nanos + signs.toNanos();
                all.add(new Row(all.size() + 1, secret, signsUntil, signsUntil + accepted.toNanos()));
            }
            return live();
        }
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private boolean accepts(ClusterKey key) {
        Predicate<byte[]> same = secret -> Arrays.equals(secret, key.secret());
        return keys.find(key.number(), same).isPresent();
    }

    @Test
    void aKeyIsMadeWhenItIsNeededAndRemembered() {
        ClusterKey key = keys.toSign();

        assertThat(key.secret()).hasSize(32);
        assertThat(key.secret()).isNotEqualTo(new byte[32]);
        int reads = rows.reads;
        assertThat(keys.toSign().number()).isEqualTo(key.number());
        assertThat(accepts(key)).isTrue();
        assertThat(rows.reads).isEqualTo(reads);
    }

    @Test
    void theNextKeyIsMadeAfterADayAndBothAreAccepted() {
        ClusterKey old = keys.toSign();
        pass(ClusterKeys.SIGNS);

        ClusterKey next = keys.toSign();

        assertThat(next.number()).isGreaterThan(old.number());
        assertThat(accepts(old)).isTrue();
        assertThat(accepts(next)).isTrue();
        pass(ClusterKeys.ACCEPTED);
        assertThat(accepts(old)).isFalse();
        assertThat(accepts(next)).isTrue();
    }

    @Test
    void aKeyExpiresInMemoryToo() {
        ClusterKey old = keys.toSign();
        pass(ClusterKeys.SIGNS.plus(ClusterKeys.ACCEPTED).minusSeconds(1));
        assertThat(accepts(old)).isTrue();
        rows.away = true;

        pass(Duration.ofSeconds(1));

        assertThatThrownBy(() -> accepts(old)).isInstanceOf(DatabaseUnavailable.class);
    }

    @Test
    void aKeyThatAnotherNodeHasMadeIsAcceptedAtOnce() {
        keys.toSign();
        pass(ClusterKeys.SIGNS.plusSeconds(1));
        accepts(keys.toSign());
        pass(ClusterKeys.BETWEEN_LOOKS);
        rows.all.clear();
        List<ClusterKey> made = rows.renew(new byte[] {1}, ClusterKeys.SIGNS, ClusterKeys.ACCEPTED);

        assertThat(accepts(made.get(0))).isTrue();
    }

    @Test
    void wrongSignaturesLeadToTenLooksASecondAtMost() {
        ClusterKey key = keys.toSign();
        int reads = rows.reads;

        for (int i = 0; i < 1_000; i++) {
            assertThat(keys.find(key.number(), secret -> false)).isEmpty();
            assertThat(keys.find(99, secret -> true)).isEmpty();
            pass(Duration.ofMillis(10));
        }

        assertThat(rows.reads - reads).isBetween(90, 101);
    }

    @Test
    void aKeyThatWasDeletedIsOfNoUseAfterHalfAMinute() {
        ClusterKey key = keys.toSign();
        rows.all.clear();
        pass(ClusterKeys.REMEMBERED.minusMillis(1));
        assertThat(accepts(key)).isTrue();

        pass(Duration.ofMillis(1));

        assertThat(accepts(key)).isFalse();
    }

    @Test
    void whatIsForgottenIsReadAgain() {
        ClusterKey key = keys.toSign();
        rows.all.clear();

        keys.forget();

        assertThat(accepts(key)).isFalse();
        assertThat(keys.toSign().secret()).isNotEqualTo(key.secret());
    }
}
