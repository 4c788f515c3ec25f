package dev.muster.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.internal.access.ApiKeyStore.StoredKey;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RememberedKeysTest {
    private final AtomicLong nanos = new AtomicLong();
    private final RememberedKeys keys = new RememberedKeys(nanos::get);

    private void put(String id, Optional<StoredKey> key) {
        keys.put(id, key, nanos.get(), keys.generation());
    }

    private static Optional<StoredKey> key(String id) {
        VerifiedKey verified = new VerifiedKey(id, "name", Scope.READ, Set.of(), NamePatterns.ALL, Optional.empty());
        return Optional.of(new StoredKey(verified, new byte[32], Optional.empty()));
    }

    @Test
    void whoTriesManyIdsDoesNotFillTheMemory() {
        put("known", key("known"));
        for (int i = 0; i < RememberedKeys.MAX_UNKNOWN + 5_000; i++) {
            put("unknown-" + i, Optional.empty());
        }

        assertThat(keys.size()).isEqualTo(RememberedKeys.MAX_UNKNOWN + 1);
        assertThat(keys.get("known")).as("it is not pushed out").isPresent();
        assertThat(keys.get("unknown-4999")).as("the oldest ones are").isNull();
        assertThat(keys.get("unknown-5000")).isEmpty();
    }

    @Test
    void oldAnswersAreRemovedWithoutBeingAskedFor() {
        for (int i = 0; i < 100; i++) {
            put("known-" + i, key("known-" + i));
            put("unknown-" + i, Optional.empty());
        }
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());

        put("another", Optional.empty());

        assertThat(keys.size()).isEqualTo(1);
    }

    @Test
    void anIdIsKnownOrUnknownAndNotBoth() {
        put("id", Optional.empty());
        put("id", key("id"));
        assertThat(keys.get("id")).isPresent();
        put("id", Optional.empty());
        assertThat(keys.get("id")).isEmpty();
        assertThat(keys.size()).isEqualTo(1);
    }
}
