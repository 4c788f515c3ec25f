package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.lock.LockStore;
import dev.muster.job.Fence;
import dev.muster.lock.LockInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A lock has one holder at a time, and the fences of its holders grow. */
abstract class LockStoreContract extends PortContract {
    private static final Duration LONG = Duration.ofMinutes(5);

    private LockStore locks() {
        return store().port(LockStore.class);
    }

    @Test
    void aLockHasOneHolderUntilItIsReleased() {
        Fence first = locks().acquire("export", "node-1", LONG).orElseThrow();

        assertThat(locks().acquire("export", "node-2", LONG)).isEmpty();
        assertThat(locks().acquire("export", "node-1", LONG)).isEmpty();
        assertThat(locks().acquire("other", "node-2", LONG)).isPresent();
        assertThat(locks().release("export", first.token())).isTrue();
        assertThat(locks().release("export", first.token())).isFalse();
        assertThat(locks().acquire("export", "node-2", LONG).orElseThrow()).isGreaterThan(first);
    }

    @Test
    void aLockEndsByItselfAndItsOldHolderIsFencedOut() {
        Fence first = locks().acquire("export", "node-1", LONG).orElseThrow();
        advance(LONG.plusSeconds(1));

        Fence second = locks().acquire("export", "node-2", LONG).orElseThrow();

        assertThat(second).isGreaterThan(first);
        assertThat(locks().renew("export", first.token(), LONG)).isFalse();
        assertThat(locks().release("export", first.token())).isFalse();
        assertThat(locks().list()).singleElement().satisfies(lock -> {
            assertThat(lock.node()).isEqualTo("node-2");
            assertThat(lock.token()).isEqualTo(second.token());
        });
    }

    @Test
    void renewalMakesALockLast() {
        Fence fence = locks().acquire("export", "node-1", LONG).orElseThrow();
        advance(LONG.minusSeconds(60));
        assertThat(locks().renew("export", fence.token(), LONG)).isTrue();
        advance(Duration.ofSeconds(120));

        assertThat(locks().acquire("export", "node-2", LONG)).isEmpty();
        assertThat(locks().list()).extracting(LockInfo::name).containsExactly("export");
    }

    @Test
    void whatRanOutCannotBeRenewedEvenIfNobodyTookIt() {
        Fence fence = locks().acquire("export", "node-1", LONG).orElseThrow();
        advance(LONG.plusSeconds(1));

        assertThat(locks().renew("export", fence.token(), LONG)).isFalse();
        assertThat(locks().release("export", fence.token())).isFalse();
        assertThat(locks().list()).isEmpty();
    }

    @Test
    void onlyTheHoldersTokenRenewsOrReleases() {
        Fence fence = locks().acquire("export", "node-1", LONG).orElseThrow();

        assertThat(locks().renew("export", fence.token() + 1, LONG)).isFalse();
        assertThat(locks().release("export", fence.token() + 1)).isFalse();
        assertThat(locks().renew("other", fence.token(), LONG)).isFalse();
        assertThat(locks().release("other", fence.token())).isFalse();
        assertThat(locks().list()).extracting(LockInfo::name).containsExactly("export");
    }

    @Test
    void ofManyWhoAskAtOnceOneGetsIt() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            Fence before = new Fence(0, 0);
            for (int round = 0; round < 20; round++) {
                List<Callable<Optional<Fence>>> rivals = IntStream.range(0, 8)
                        .<Callable<Optional<Fence>>>mapToObj(i -> () -> locks().acquire("export", "node-" + i, LONG))
                        .toList();
                List<Fence> winners = threads.invokeAll(rivals).stream()
                        .map(LockStoreContract::value)
                        .flatMap(Optional::stream)
                        .toList();

                assertThat(winners).hasSize(1);
                assertThat(winners.get(0)).isGreaterThan(before);
                before = winners.get(0);
                assertThat(locks().release("export", before.token())).isTrue();
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
