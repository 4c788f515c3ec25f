package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class FairSharesTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final List<String> served = new CopyOnWriteArrayList<>();

    /** Returns when it waits. */
    private CompletableFuture<Boolean> waits(FairShares shares, String caller, long wants) {
        int before = shares.waiting();
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        boolean got = shares.take(caller, 0, wants, LONG, () -> {});
                        served.add(caller);
                        result.complete(got);
                    } catch (InterruptedException e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        await().until(() -> shares.waiting() == before + 1);
        return result;
    }

    @Test
    void nobodyGetsTheLastQuarterAlone() {
        FairShares shares = new FairShares(8, 0);
        for (int i = 0; i < 6; i++) {
            assertThat(shares.takeNow("greedy", 0, 1)).isTrue();
        }

        assertThat(shares.takeNow("greedy", 0, 1)).isFalse();
        assertThat(shares.takeNow("modest", 0, 1)).isTrue();
        assertThat(shares.takeNow("also modest", 0, 1)).isTrue();
        assertThat(shares.free()).isZero();
    }

    @Test
    void theOnlyOneOfACallerMayHaveEverything() {
        FairShares shares = new FairShares(8, 0);

        assertThat(shares.takeNow("one", 0, 5)).isTrue();
        assertThat(shares.takeNow("one", 5, 3)).as("more for the same").isTrue();
        shares.giveBack("one", 8);
        assertThat(shares.takeNow("one", 0, 5)).isTrue();
        assertThat(shares.takeNow("one", 0, 3)).as("another one").isFalse();
    }

    @Test
    void whoHasLeastIsNext() throws Exception {
        FairShares shares = new FairShares(4, 100);
        shares.takeNow("greedy", 0, 1);
        shares.takeNow("greedy", 0, 2);
        shares.takeNow("other", 0, 1);
        waits(shares, "greedy", 1);
        CompletableFuture<Boolean> modest = waits(shares, "modest", 2);
        CompletableFuture<Boolean> small = waits(shares, "small", 1);

        shares.giveBack("other", 1);
        assertThat(shares.waiting())
                .as("what becomes free is kept for who has waited longest")
                .isEqualTo(3);
        shares.giveBack("greedy", 1);
        assertThat(modest.get()).isTrue();
        shares.giveBack("greedy", 1);
        assertThat(small.get()).isTrue();

        assertThat(served).containsExactly("modest", "small");
        shares.giveBack("modest", 2);
        await().until(() -> served.contains("greedy"));
    }

    @Test
    void onlySomeWaitAndNoCallerAlone() throws Exception {
        FairShares shares = new FairShares(1, 2);
        shares.takeNow("first", 0, 1);
        waits(shares, "greedy", 1);

        assertThat(shares.take("greedy", 0, 1, LONG, () -> {}))
                .as("beside its own")
                .isFalse();
        CompletableFuture<Boolean> modest = waits(shares, "modest", 1);
        assertThat(shares.take("third", 0, 1, LONG, () -> {})).isFalse();

        shares.giveBack("first", 1);
        await().until(() -> served.contains("greedy"));
        shares.giveBack("greedy", 1);
        assertThat(modest.get()).isTrue();
    }

    @Test
    void whoGivesUpTakesNothingAndStandsInNobodysWay() throws Exception {
        FairShares shares = new FairShares(2, 100);
        shares.takeNow("first", 0, 1);
        Thread thread = new Thread(() -> {
            try {
                shares.take("large", 0, 2, LONG, () -> {});
            } catch (InterruptedException e) {
                served.add("interrupted");
            }
        });
        thread.start();
        await().until(() -> shares.waiting() == 1);
        CompletableFuture<Boolean> small = waits(shares, "small", 1);

        thread.interrupt();
        thread.join();

        assertThat(small.get()).isTrue();
        assertThat(served).contains("interrupted");
        assertThat(shares.take("late", 0, 1, Duration.ofMillis(1), () -> {})).isFalse();
        assertThat(shares.free()).isZero();
        assertThat(shares.waiting()).isZero();
    }
}
