package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.runtime.LargeReads.TooMany;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LargeReadsTest {
    private static final long MEGABYTE = 1 << 20;
    private static final Duration LONG = Duration.ofMinutes(5);

    private final LargeReads reads = new LargeReads(1, 2, 1, LONG, LONG);
    private final CountDownLatch taken = new CountDownLatch(1);

    @AfterEach
    void end() {
        LargeReads.end();
    }

    /** Another request, which reads much and ends; it does not wait. */
    private static CompletableFuture<Void> other(LargeReads reads, long characters) {
        CompletableFuture<Void> request =
                CompletableFuture.runAsync(() -> reads(reads, "other", false, characters, () -> {}));
        await().until(request::isDone);
        return request;
    }

    private static void reads(LargeReads reads, String caller, boolean waits, long characters, Runnable then) {
        reads.begin(caller, waits);
        try {
            LargeReads.count(characters);
            then.run();
        } finally {
            LargeReads.end();
        }
    }

    private CompletableFuture<Void> other() {
        return other(reads, 2 * MEGABYTE);
    }

    /** A request on a thread of its own, which nobody may interrupt by accident. */
    private static CompletableFuture<Void> later(Runnable work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    /** Sends an answer to a client that never reads it. */
    private void sends() {
        LargeReads.sending();
        taken.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            // As a write does, whose failure is the client's business.
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void thereIsRoomForSoManyLargeReads() {
        reads.begin("ada", false);
        LargeReads.count(MEGABYTE);
        assertThat(other()).as("this one is not large").isCompleted();

        LargeReads.count(1);
        assertThatThrownBy(() -> other().join()).hasCauseInstanceOf(TooMany.class);
        LargeReads.count(16 * MEGABYTE);
        LargeReads.end();

        assertThat(other()).isCompleted();
    }

    @Test
    void readsOfMediumSizeHavePlacesOfTheirOwn() {
        reads.begin("ada", false);
        LargeReads.count(MEGABYTE / 2);
        assertThat(other(reads, MEGABYTE / 2)).isCompleted();
        CompletableFuture<Void> second = later(() -> reads(reads, "bob", false, MEGABYTE / 2, this::sends));
        await().until(() -> taken.getCount() == 0);

        assertThatThrownBy(() -> other(reads, MEGABYTE / 2).join()).hasCauseInstanceOf(TooMany.class);
        assertThat(other(reads, MEGABYTE / 16)).as("an ordinary one").isCompleted();
        assertThat(other(reads, 2 * MEGABYTE)).as("a large one").isCompleted();
        LargeReads.count(MEGABYTE);
        assertThat(other(reads, MEGABYTE / 2))
                .as("the first one has become large, and has no other place any more")
                .isCompleted();
        assertThat(second).isNotDone();
    }

    @Test
    void whatIsRefusedTakesNoPlace() {
        LargeReads none = new LargeReads(0, 0, 0, LONG, LONG);
        none.begin("ada", true);
        assertThatThrownBy(() -> LargeReads.count(2 * MEGABYTE)).isInstanceOf(TooMany.class);
        assertThat(LargeReads.hasPlace()).isFalse();
        LargeReads.end();
        none.begin("ada", true);

        assertThatThrownBy(() -> LargeReads.count(2 * MEGABYTE)).isInstanceOf(TooMany.class);
    }

    @Test
    void oneCallerLeavesPlacesToOthers() {
        LargeReads four = new LargeReads(4, 4, 0, LONG, LONG);
        CountDownLatch three = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            later(() -> reads(four, "greedy", false, 2 * MEGABYTE, () -> {
                three.countDown();
                sends();
            }));
        }
        await().until(() -> three.getCount() == 0);
        assertThatThrownBy(() -> later(() -> reads(four, "greedy", false, 2 * MEGABYTE, () -> {}))
                        .join())
                .hasCauseInstanceOf(TooMany.class);

        assertThat(other(four, 2 * MEGABYTE)).isCompleted();
    }

    @Test
    void whoFindsNoPlaceWaitsForOne() {
        reads.begin("ada", true);
        LargeReads.count(2 * MEGABYTE);
        CompletableFuture<Void> first = later(() -> reads(reads, "bob", true, 2 * MEGABYTE, () -> {}));
        CompletableFuture<Void> second = later(() -> reads(reads, "bob", true, 2 * MEGABYTE, () -> {}));

        // Only one may wait.
        await().until(() -> first.isDone() || second.isDone());
        CompletableFuture<Void> refused = first.isDone() ? first : second;
        assertThatThrownBy(refused::join).hasCauseInstanceOf(TooMany.class);
        CompletableFuture<Void> waiting = refused == first ? second : first;
        assertThat(waiting).isNotDone();
        LargeReads.end();

        await().until(waiting::isDone);
        assertThat(waiting).isCompleted();
    }

    @Test
    void whoTakesItsAnswerSlowlyLosesItToAnotherCaller() {
        LargeReads hasty = new LargeReads(1, 1, 1, LONG, Duration.ZERO);
        CompletableFuture<Boolean> interruptedLater = new CompletableFuture<>();
        CompletableFuture<Void> slow = later(() -> {
            reads(hasty, "slow", true, 2 * MEGABYTE, this::sends);
            interruptedLater.complete(Thread.currentThread().isInterrupted());
        });
        await().until(() -> taken.getCount() == 0);
        assertThat(slow).as("nobody waits").isNotDone();

        CompletableFuture<Void> modest = later(() -> reads(hasty, "modest", true, 2 * MEGABYTE, () -> {}));

        await().until(modest::isDone);
        assertThat(modest).isCompleted();
        await().until(slow::isDone);
        assertThat(slow).isCompleted();
        assertThat(interruptedLater.join())
                .as("the thread's next request is not interrupted")
                .isFalse();
    }

    @Test
    void whoeverServesNoRequestIsNotCounted() {
        assertThatCode(() -> LargeReads.count(Long.MAX_VALUE)).doesNotThrowAnyException();
    }
}
