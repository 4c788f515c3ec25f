package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PollAlignmentTest {
    private static final Duration PERIOD = Duration.ofSeconds(5);

    private final AtomicLong now = new AtomicLong(-77);
    private final PollAlignment alignment = new PollAlignment(PERIOD, now::get);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void waitsOfOneLengthEndTogetherWhereverTheyBegin() {
        pass(alignment.align(PERIOD));
        long moment = now.get();

        pass(Duration.ofMillis(120));
        Duration first = alignment.align(PERIOD);
        pass(Duration.ofMillis(700));
        Duration second = alignment.align(PERIOD);

        assertThat(first).isEqualTo(Duration.ofMillis(4_880));
        assertThat(second).isEqualTo(Duration.ofMillis(4_180));
        assertThat(now.get() + second.toNanos()).isEqualTo(moment + PERIOD.toNanos());
    }

    @Test
    void aWaitIsNeverLongerThanItWas() {
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofMillis(73));
            for (long millis : new long[] {0, 1, 400, 5_000, 60_000}) {
                assertThat(alignment.align(Duration.ofMillis(millis)))
                        .isBetween(Duration.ZERO, Duration.ofMillis(millis));
            }
        }
    }

    @Test
    void aWaitThatEndsBeforeTheNextMomentStaysAsItIs() {
        pass(alignment.align(PERIOD));
        pass(Duration.ofMillis(1));

        assertThat(alignment.align(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(3));
    }
}
