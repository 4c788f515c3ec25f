package dev.muster.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.worker.Turns.Turn;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Turns turns = new Turns(nanos::get);

    @Test
    void inACrowdOneWaitsForTheOther() {
        Turn first = turns.begin(true);
        assertThat(turns.begin(true)).isNull();
        turns.end(first);
        assertThat(turns.begin(true)).isNotNull();
    }

    @Test
    void withoutOneNobodyWaits() {
        assertThat(turns.begin(false)).isNotNull();
        assertThat(turns.begin(false)).isNotNull();
    }

    @Test
    void anExchangeThatHangsHoldsUpTheOtherForASecond() {
        turns.begin(true);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        Turn second = turns.begin(true);
        assertThat(second).isNotNull();
        assertThat(turns.begin(true)).as("beside the one that does not hang").isNull();
        turns.end(second);
        assertThat(turns.begin(true)).as("the first one hangs still").isNotNull();
    }

    @Test
    void exchangesThatOverlapForLongDoNotCountAsOneThatHangs() {
        Turn last = turns.begin(false);
        for (int i = 0; i < 50; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
            Turn next = turns.begin(false);
            turns.end(last);
            last = next;
        }
        assertThat(turns.begin(true)).isNull();
    }
}
