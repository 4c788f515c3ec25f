package dev.muster.postgres.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.claims.HeldClaims.Batch;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class HeldClaimsTest {
    private final HeldClaims held = new HeldClaims();

    private static Batch batch(long number) {
        return new Batch(number, JobId.next());
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
