package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.HeldClaims.ClaimNote;
import dev.muster.postgres.internal.claims.HeldClaims.PlaceListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class HeldClaimsTest {
    private final HeldClaims held = new HeldClaims();

    private ClaimNote note(long number) {
        return new ClaimNote(number, JobId.next(), null, this);
    }

    private List<ClaimRef> remember(ClaimNote note, long... tokens) {
        List<ClaimRef> claims = LongStream.of(tokens)
                .mapToObj(token -> new ClaimRef(JobId.next(), token))
                .toList();
        claims.forEach(claim -> held.remember(claim, claim.token() * 10, note));
        return claims;
    }

    private List<Long> takeSettled() {
        return held.takeSettled().stream().map(note -> note.number).toList();
    }

    private static List<Outcome> outcomes(List<ClaimRef> claims) {
        return claims.stream()
                .<Outcome>map(claim -> new Outcome.Completed(claim, null))
                .toList();
    }

    @Test
    void aBatchIsOverWithItsLastClaimAndNamedOnce() {
        List<ClaimRef> claims = remember(note(7), 1, 2, 3);

        claims.subList(0, 2).forEach(held::closed);
        assertThat(held.hasSettled()).isFalse();
        claims.subList(0, 2).forEach(held::closed);
        assertThat(held.hasSettled()).as("settled twice counts once").isFalse();
        claims.subList(2, 3).forEach(held::closed);

        assertThat(takeSettled()).containsExactly(7L);
        assertThat(takeSettled()).isEmpty();
    }

    @Test
    void whatCouldNotBeForgottenIsNamedAgain() {
        remember(note(7), 1).forEach(held::closed);
        held.putBackSettled(held.takeSettled());
        assertThat(takeSettled()).containsExactly(7L);
    }

    @Test
    void ctidsAreAllKnownOrNone() {
        List<ClaimRef> claims = remember(note(7), 1, 2);
        assertThat(held.ctids(outcomes(claims))).containsExactly(10, 20);

        held.forgetCtids(claims.subList(0, 1));
        assertThat(held.ctids(outcomes(claims))).isNull();
        assertThat(held.ctids(outcomes(claims.subList(1, 2)))).containsExactly(20);
        assertThat(held.ctids(List.of())).isNull();
    }

    @Test
    void aBatchThatWasForgottenInPartIsNeverOver() {
        ClaimNote note = note(7);
        List<ClaimRef> first = remember(note, 1);
        for (long token = 3; token < 70_000; token++) {
            remember(note(8), token);
        }
        List<ClaimRef> last = remember(note, 70_000);
        first.forEach(held::closed);
        last.forEach(held::closed);
        assertThat(held.hasSettled()).isFalse();
    }

    @Test
    void aClaimOfAnotherJobWithTheSameTokenSettlesNothing() {
        List<ClaimRef> before = remember(note(7), 1);
        List<ClaimRef> afterFailover = remember(note(7), 1);
        before.forEach(held::closed);
        assertThat(held.hasSettled()).isFalse();
        afterFailover.forEach(held::closed);
        assertThat(takeSettled()).containsExactly(7L);
    }

    private ClaimNote ofMail(long number) {
        return new ClaimNote(number, JobId.next(), "mail", this);
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
    void aCtidIsRememberedHoweverManyJobsComeAndGoMeanwhile() {
        Executor executor = new Executor();
        held.onFreedPlace(executor);
        ClaimRef longJob = remember(ofMail(7), 1).get(0);
        for (long token = 2; token < 70_000; token++) {
            remember(note(8), token).forEach(held::closed);
        }

        assertThat(held.limitedQueue(longJob)).isEqualTo("mail");
        assertThat(held.ctids(outcomes(List.of(longJob)))).containsExactly(10);
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
        ClaimNote note = ofMail(7);
        ClaimRef first = remember(note, 1).get(0);
        ClaimRef rolledBack = remember(note, 2).get(0);
        held.forget(List.of(rolledBack));
        assertThat(held.limitedQueue(rolledBack)).isNull();
        for (long token = 3; token < 70_000; token++) {
            remember(note, token);
        }

        assertThat(held.limitedQueue(first)).isNull();
    }

    @RepeatedTest(50)
    void twoThreadsThatSettleTheLastClaimsNameTheBatchOnce() throws InterruptedException {
        List<ClaimRef> claims = remember(note(7), LongStream.range(0, 100).toArray());
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
        assertThat(takeSettled()).containsExactly(7L);
    }
}
