package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.ClaimRef;
import dev.muster.job.JobId;
import dev.muster.job.Outcome;
import dev.muster.postgres.HeldClaims.Batch;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class HeldClaimsTest {
    private final HeldClaims held = new HeldClaims();

    private static ClaimRef claim(long token) {
        return new ClaimRef(JobId.next(), token);
    }

    private List<ClaimRef> remember(Batch batch, long... tokens) {
        for (long token : tokens) {
            held.remember(token, token * 10, batch);
        }
        return LongStream.of(tokens).mapToObj(HeldClaimsTest::claim).toList();
    }

    private static List<Outcome> outcomes(List<ClaimRef> claims) {
        return claims.stream()
                .<Outcome>map(claim -> new Outcome.Completed(claim, null))
                .toList();
    }

    @Test
    void aBatchIsOverWithItsLastClaimAndNamedOnce() {
        List<ClaimRef> claims = remember(new Batch(7), 1, 2, 3);

        claims.subList(0, 2).forEach(held::settled);
        assertThat(held.anyOver()).isFalse();
        claims.subList(0, 2).forEach(held::settled);
        assertThat(held.anyOver()).as("settled twice counts once").isFalse();
        claims.subList(2, 3).forEach(held::settled);

        assertThat(held.takeOver()).containsExactly(7L);
        assertThat(held.takeOver()).isEmpty();
    }

    @Test
    void whatCouldNotBeForgottenIsNamedAgain() {
        remember(new Batch(7), 1).forEach(held::settled);
        held.stillOver(held.takeOver());
        assertThat(held.takeOver()).containsExactly(7L);
    }

    @Test
    void placesAreAllKnownOrNone() {
        List<ClaimRef> claims = remember(new Batch(7), 1, 2);
        assertThat(held.places(outcomes(claims))).containsExactly(10, 20);

        held.forgetPlaces(claims.subList(0, 1));
        assertThat(held.places(outcomes(claims))).isNull();
        assertThat(held.places(outcomes(claims.subList(1, 2)))).containsExactly(20);
        assertThat(held.places(List.of())).isNull();
    }

    @Test
    void aBatchThatWasForgottenInPartIsNeverOver() {
        Batch batch = new Batch(7);
        List<ClaimRef> first = remember(batch, 1);
        for (long token = 3; token < 70_000; token++) {
            held.remember(token, token, new Batch(8));
        }
        List<ClaimRef> last = remember(batch, 70_000);
        first.forEach(held::settled);
        last.forEach(held::settled);
        assertThat(held.anyOver()).isFalse();
    }

    @RepeatedTest(50)
    void twoThreadsThatSettleTheLastClaimsNameTheBatchOnce() throws InterruptedException {
        List<ClaimRef> claims = remember(new Batch(7), LongStream.range(0, 100).toArray());
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
                half.forEach(held::settled);
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(held.takeOver()).containsExactly(7L);
    }
}
