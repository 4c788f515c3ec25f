package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CrowdTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Crowd crowd = new Crowd(nanos::get);

    @Test
    void severalNodesWhoseExchangesTakeTheirTimeAreACrowd() {
        seconds(3, 500, 250);
        assertThat(crowd.isCrowded(4, 0)).isTrue();
        assertThat(crowd.isCrowded(2, 0)).as("however slow").isFalse();
    }

    @Test
    void whereTheServerKeepsUpThereIsNoCrowdHoweverMany() {
        seconds(3, 500, 45);
        assertThat(crowd.isCrowded(10, 0)).isFalse();
    }

    @Test
    void aCrowdStaysOneWhileItDoesBetterForIt() {
        seconds(3, 500, 250);
        seconds(3, 500, 70);
        assertThat(crowd.isCrowded(4, 0)).isTrue();
        seconds(3, 500, 35);
        assertThat(crowd.isCrowded(4, 0)).isFalse();
        seconds(3, 500, 70);
        assertThat(crowd.isCrowded(4, 0)).isFalse();
    }

    @Test
    void whoeverFindsTheDatabaseFastFollowsOneWhoDoesNot() {
        seconds(3, 500, 70);
        assertThat(crowd.isSlow()).isFalse();
        assertThat(crowd.isCrowded(4, 1)).isTrue();
        assertThat(crowd.isCrowded(2, 1)).as("two are no crowd").isFalse();
    }

    @Test
    void halfTheTimeForHalfAsManyExchangesIsNoSignThatTheCrowdIsGone() {
        seconds(3, 500, 92);
        assertThat(crowd.isCrowded(4, 0)).isTrue();
        seconds(3, 500, 46);
        assertThat(crowd.isCrowded(4, 0)).isTrue();
    }

    @Test
    void smallExchangesThatTakeLongAreNoSign() {
        seconds(3, 8, 625);
        assertThat(crowd.isCrowded(4, 0)).isFalse();
    }

    /** Exchanges of so many jobs, each of which takes so long. */
    private void seconds(int seconds, int batch, long microsPerJob) {
        long end = nanos.get() + TimeUnit.SECONDS.toNanos(seconds);
        while (nanos.get() < end) {
            long took = TimeUnit.MICROSECONDS.toNanos(microsPerJob) * batch;
            nanos.addAndGet(took);
            crowd.exchanged(batch, took);
        }
    }
}
