package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CrowdTest {
    private static final int BATCH = 500;

    private final AtomicLong nanos = new AtomicLong();
    private final Crowd crowd = new Crowd(nanos::get);
    private long token = 1_000;

    @Test
    void aNodeAmongSeveralSlowOnesIsInACrowd() {
        seconds(3, 4, 250);
        assertThat(crowd.isCrowded()).isTrue();
    }

    @Test
    void oneOrTwoNodesAreNoCrowdHoweverSlow() {
        seconds(3, 1, 250);
        assertThat(crowd.isCrowded()).isFalse();
        seconds(3, 2, 250);
        assertThat(crowd.isCrowded()).isFalse();
    }

    @Test
    void whereTheServerKeepsUpThereIsNoCrowdHoweverMany() {
        seconds(3, 10, 50);
        assertThat(crowd.isCrowded()).isFalse();
    }

    @Test
    void aCrowdStaysOneWhileItDoesBetterForIt() {
        seconds(3, 4, 250);
        seconds(3, 4, 100);
        assertThat(crowd.isCrowded()).isTrue();
        seconds(3, 1, 100);
        assertThat(crowd.isCrowded()).as("alone").isFalse();

        seconds(3, 4, 250);
        assertThat(crowd.isCrowded()).isTrue();
        seconds(3, 4, 40);
        assertThat(crowd.isCrowded()).as("the server keeps up").isFalse();
    }

    @Test
    void smallExchangesThatTakeLongAreNoSign() {
        long took = TimeUnit.MILLISECONDS.toNanos(5);
        for (int i = 0; i < 2_000; i++) {
            nanos.addAndGet(took);
            token += 8 * 3;
            crowd.exchanged(token, 8, 8, took);
            assertThat(crowd.isCrowded()).isFalse();
        }
    }

    @Test
    void tokensThatBeginAnewAreNoMistake() {
        seconds(2, 4, 250);
        token = 10;
        seconds(3, 1, 250);
        assertThat(crowd.isCrowded()).isFalse();
    }

    /** Exchanges of one node among so many that claim the same, each of which takes so long for a job. */
    private void seconds(int seconds, int nodes, long microsPerJob) {
        long end = nanos.get() + TimeUnit.SECONDS.toNanos(seconds);
        while (nanos.get() < end) {
            long took = TimeUnit.MICROSECONDS.toNanos(microsPerJob) * BATCH;
            nanos.addAndGet(took);
            token += (long) BATCH * nodes;
            crowd.exchanged(token, BATCH, BATCH, took);
        }
    }
}
