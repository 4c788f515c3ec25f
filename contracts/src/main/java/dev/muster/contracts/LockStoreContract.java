package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.Fence;
import dev.muster.lock.LockInfo;
import dev.muster.lock.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every {@link LockStore} must do. Extend it, and return an empty store for each test. */
public abstract class LockStoreContract {
    private static final Duration LONG = Duration.ofMinutes(5);

    protected abstract LockStore store();

    /** Moves the store's clock ahead. */
    protected abstract void advance(Duration by);

    @Test
    void aLockHasOneHolderUntilItIsReleased() {
        Fence first = store().acquire("export", "node-1", LONG).orElseThrow();

        assertThat(store().acquire("export", "node-2", LONG)).isEmpty();
        assertThat(store().acquire("export", "node-1", LONG)).isEmpty();
        assertThat(store().acquire("other", "node-2", LONG)).isPresent();
        assertThat(store().release("export", first.token())).isTrue();
        assertThat(store().release("export", first.token())).isFalse();
        assertThat(store().acquire("export", "node-2", LONG).orElseThrow()).isGreaterThan(first);
    }

    @Test
    void aLockEndsByItselfAndItsOldHolderIsFencedOut() {
        Fence first = store().acquire("export", "node-1", LONG).orElseThrow();
        advance(LONG.plusSeconds(1));

        Fence second = store().acquire("export", "node-2", LONG).orElseThrow();

        assertThat(second).isGreaterThan(first);
        assertThat(store().renew("export", first.token(), LONG)).isFalse();
        assertThat(store().release("export", first.token())).isFalse();
        assertThat(store().list()).singleElement().satisfies(lock -> {
            assertThat(lock.node()).isEqualTo("node-2");
            assertThat(lock.token()).isEqualTo(second.token());
        });
    }

    @Test
    void renewalMakesALockLast() {
        Fence fence = store().acquire("export", "node-1", LONG).orElseThrow();
        advance(LONG.minusSeconds(60));
        assertThat(store().renew("export", fence.token(), LONG)).isTrue();
        advance(Duration.ofSeconds(120));

        assertThat(store().acquire("export", "node-2", LONG)).isEmpty();
        assertThat(store().list()).extracting(LockInfo::name).containsExactly("export");
    }

    @Test
    void whatRanOutCannotBeRenewedEvenIfNobodyTookIt() {
        Fence fence = store().acquire("export", "node-1", LONG).orElseThrow();
        advance(LONG.plusSeconds(1));

        assertThat(store().renew("export", fence.token(), LONG)).isFalse();
        assertThat(store().list()).isEmpty();
    }

    @Test
    void ofManyWhoAskAtOnceOneGetsIt() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            Fence before = new Fence(0, 0);
            for (int round = 0; round < 20; round++) {
                List<Callable<Optional<Fence>>> rivals = IntStream.range(0, 8)
                        .<Callable<Optional<Fence>>>mapToObj(i -> () -> store().acquire("export", "node-" + i, LONG))
                        .toList();
                List<Fence> winners = threads.invokeAll(rivals).stream()
                        .map(LockStoreContract::value)
                        .flatMap(Optional::stream)
                        .toList();

                assertThat(winners).hasSize(1);
                assertThat(winners.get(0)).isGreaterThan(before);
                before = winners.get(0);
                assertThat(store().release("export", before.token())).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static <T> T value(Future<T> future) {
        try {
            return future.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
