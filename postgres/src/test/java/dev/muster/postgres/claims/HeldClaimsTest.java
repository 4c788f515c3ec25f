package dev.muster.postgres.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.claims.HeldClaims.Batch;
import dev.muster.postgres.claims.HeldClaims.PlaceListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class HeldClaimsTest {
    private final HeldClaims held = new HeldClaims();

    private Batch batch(long number) {
        return new Batch(number, JobId.next(), null, this);
    }

    private List<ClaimRef> remember(Batch batch, long... tokens) {
        List<ClaimRef> claims = LongStream.of(tokens)
                .mapToObj(token -> new ClaimRef(JobId.next(), token))
                .toList();
        claims.forEach(claim -> held.remember(claim, claim.token() * 10, batch));
        return claims;
    }

    private List<Long> takeOver() {
        return held.takeOver().stream().map(batch -> batch.number).toList();
    }

    private static List<Outcome> outcomes(List<ClaimRef> claims) {
        return claims.stream()
                .<Outcome>map(claim -> new Outcome.Completed(claim, null))
                .toList();
    }

    @Test
    void aBatchIsOverWithItsLastClaimAndNamedOnce() {
        List<ClaimRef> claims = remember(batch(7), 1, 2, 3);

        claims.subList(0, 2).forEach(held::closed);
        assertThat(held.anyOver()).isFalse();
        claims.subList(0, 2).forEach(held::closed);
        assertThat(held.anyOver()).as("settled twice counts once").isFalse();
        claims.subList(2, 3).forEach(held::closed);

        assertThat(takeOver()).containsExactly(7L);
        assertThat(takeOver()).isEmpty();
    }

    @Test
    void whatCouldNotBeForgottenIsNamedAgain() {
        remember(batch(7), 1).forEach(held::closed);
        held.stillOver(held.takeOver());
        assertThat(takeOver()).containsExactly(7L);
    }

    @Test
    void placesAreAllKnownOrNone() {
        List<ClaimRef> claims = remember(batch(7), 1, 2);
        assertThat(held.places(outcomes(claims))).containsExactly(10, 20);

        held.forgetPlaces(claims.subList(0, 1));
        assertThat(held.places(outcomes(claims))).isNull();
        assertThat(held.places(outcomes(claims.subList(1, 2)))).containsExactly(20);
        assertThat(held.places(List.of())).isNull();
    }

    @Test
    void aBatchThatWasForgottenInPartIsNeverOver() {
        Batch batch = batch(7);
        List<ClaimRef> first = remember(batch, 1);
        for (long token = 3; token < 70_000; token++) {
            remember(batch(8), token);
        }
        List<ClaimRef> last = remember(batch, 70_000);
        first.forEach(held::closed);
        last.forEach(held::closed);
        assertThat(held.anyOver()).isFalse();
    }

    @Test
    void aClaimOfAnotherJobWithTheSameTokenSettlesNothing() {
        List<ClaimRef> before = remember(batch(7), 1);
        List<ClaimRef> afterFailover = remember(batch(7), 1);
        before.forEach(held::closed);
        assertThat(held.anyOver()).isFalse();
        afterFailover.forEach(held::closed);
        assertThat(takeOver()).containsExactly(7L);
    }

    private Batch ofMail(long number) {
        return new Batch(number, JobId.next(), "mail", this);
    }

    /** What an executor is told; it counts a place if the test says so. */
    private static final class Executor implements PlaceListener {
        final List<Object> freed = new ArrayList<>();
        boolean counts;

        @Override
        public boolean counts(String queue) {
            return counts;
        }

        @Override
        public void freed(String queue, @Nullable Object session) {
            freed.add(queue + (session == null ? "" : " mine"));
        }

        @Override
        public List<Lane> leaveUnused() {
            return List.of();
        }
    }

    /** Otherwise nobody looks for the next job when it ends. */
    @Test
    void aPlaceIsRememberedHoweverManyJobsComeAndGoMeanwhile() {
        Executor executor = new Executor();
        held.onFreedPlace(executor);
        ClaimRef longJob = remember(ofMail(7), 1).get(0);
        for (long token = 2; token < 70_000; token++) {
            remember(batch(8), token).forEach(held::closed);
        }

        assertThat(held.limitedQueue(longJob)).isEqualTo("mail");
        assertThat(held.places(outcomes(List.of(longJob)))).containsExactly(10);
        held.closed(longJob);
        held.closed(longJob);

        assertThat(executor.freed).containsExactly("mail mine");
        assertThat(held.limitedQueue(longJob)).isNull();
    }

    @Test
    void whatACountSeesIsTheDutyOfNobodyElse() {
        Executor counting = new Executor();
        counting.counts = true;
        Executor other = new Executor();
        held.onFreedPlace(counting);
        held.onFreedPlace(other);

        remember(ofMail(7), 1).forEach(held::closed);

        assertThat(other.freed).containsExactly("mail");
    }

    @Test
    void claimsOfLimitedQueuesThatAreNeverClosedAreForgottenAtLast() {
        Batch batch = ofMail(7);
        ClaimRef first = remember(batch, 1).get(0);
        ClaimRef rolledBack = remember(batch, 2).get(0);
        held.forget(List.of(rolledBack));
        assertThat(held.limitedQueue(rolledBack)).isNull();
        for (long token = 3; token < 70_000; token++) {
            remember(batch, token);
        }

        assertThat(held.limitedQueue(first)).isNull();
    }

    @RepeatedTest(50)
    void twoThreadsThatSettleTheLastClaimsNameTheBatchOnce() throws InterruptedException {
        List<ClaimRef> claims = remember(batch(7), LongStream.range(0, 100).toArray());
        CyclicBarrier together = new CyclicBarrier(2);
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            List<ClaimRef> half = claims.subList(i * 50, i * 50 + 50);
            threads[i] = new Thread(() -> {
                try {
                    together.await();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                half.forEach(held::closed);
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(takeOver()).containsExactly(7L);
    }
}
