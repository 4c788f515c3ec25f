package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final List<String> began = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Returns when it waits. */
    private void waits(Turns turns, String caller) {
        int before = turns.waiting();
        Thread thread = new Thread(() -> {
            turns.begin(caller);
            began.add(caller);
        });
        threads.add(thread);
        thread.start();
        await().until(() -> turns.waiting() == before + 1);
    }

    private void ends(Turns turns, String caller, int beginThen) {
        int before = began.size();
        int waited = turns.waiting();
        turns.end(caller);
        assertThat(turns.waiting()).isEqualTo(waited - beginThen);
        await().until(() -> began.size() == before + beginThen);
    }

    private static Turns patient(int most) {
        return new Turns(most, Duration.ofMinutes(5));
    }

    @Test
    void nobodyGetsTheLastQuarterAlone() throws InterruptedException {
        Turns turns = patient(8);
        for (int i = 0; i < 6; i++) {
            turns.begin("greedy");
        }
        waits(turns, "greedy");

        turns.begin("modest");
        ends(turns, "modest", 0);
        assertThat(turns.running()).isEqualTo(6);

        ends(turns, "greedy", 1);
        assertThat(turns.running()).isEqualTo(6);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void theNextIsOfTheCallerWithTheFewestUnderWay() throws InterruptedException {
        Turns turns = patient(4);
        turns.begin("greedy");
        turns.begin("greedy");
        turns.begin("greedy");
        turns.begin("fast");
        waits(turns, "greedy");
        waits(turns, "also greedy");
        waits(turns, "also greedy");
        waits(turns, "modest");

        ends(turns, "greedy", 1);
        ends(turns, "greedy", 1);
        assertThat(began).containsExactly("also greedy", "modest");
        ends(turns, "fast", 0);
        ends(turns, "modest", 1);
        ends(turns, "greedy", 1);
        assertThat(began).containsExactlyInAnyOrder("also greedy", "modest", "also greedy", "greedy");
        assertThat(turns.waiting()).isZero();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void whoHadATurnLastComesLast() throws InterruptedException {
        Turns turns = patient(2);
        turns.begin("x");
        turns.begin("y");
        waits(turns, "a");
        waits(turns, "a");
        waits(turns, "b");
        waits(turns, "b");

        ends(turns, "x", 1);
        ends(turns, "a", 1);
        ends(turns, "b", 1);
        ends(turns, "a", 1);
        assertThat(began).containsExactly("a", "b", "a", "b");
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void whoseTurnDoesNotComeInTimeIsRefusedAndMissedByNobody() {
        Turns turns = new Turns(1, Duration.ofMillis(20));
        turns.begin("a");

        assertThatThrownBy(() -> turns.begin("b"))
                .isInstanceOf(Refusal.class)
                .hasMessage(
                        "this node works on as many requests as it can, which is 1, and the turn of this one did not"
                                + " come in time (gateway.read_timeout)");

        assertThat(turns.waiting()).isZero();
        turns.end("a");
        assertThat(turns.running()).isZero();
        turns.begin("b");
    }

    @Test
    void noTurnIsLostBetweenThoseWhoGiveUpAndThoseWhoEnd() throws InterruptedException {
        Turns turns = new Turns(3, Duration.ofNanos(50_000));
        AtomicInteger working = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(8);
        for (int i = 0; i < 8; i++) {
            String caller = "caller " + i % 3;
            new Thread(() -> {
                        for (int n = 0; n < 3_000; n++) {
                            try {
                                turns.begin(caller);
                                most.accumulateAndGet(working.incrementAndGet(), Math::max);
                                for (int spin = n % 2_000; spin > 0; spin--) {
                                    Thread.onSpinWait();
                                }
                                working.decrementAndGet();
                                turns.end(caller);
                            } catch (Refusal refusal) {
                                // The turn did not come in time.
                            }
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();

        assertThat(turns.running()).isZero();
        assertThat(turns.waiting()).isZero();
        assertThat(most.get()).isLessThanOrEqualTo(3);
        turns.begin("caller 0");
        turns.begin("caller 1");
        turns.begin("caller 2");
    }
}
