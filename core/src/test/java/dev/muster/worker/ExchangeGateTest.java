package dev.muster.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.worker.ExchangeGate.Permit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExchangeGateTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ExchangeGate turns = new ExchangeGate(nanos::get);

    @Test
    void inACrowdOneWaitsForTheOther() {
        Permit first = turns.begin(true);
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
        Permit second = turns.begin(true);
        assertThat(second).isNotNull();
        assertThat(turns.begin(true)).as("beside the one that does not hang").isNull();
        turns.end(second);
        assertThat(turns.begin(true)).as("the first one hangs still").isNotNull();
    }

    @Test
    void exchangesThatOverlapForLongDoNotCountAsOneThatHangs() {
        Permit last = turns.begin(false);
        for (int i = 0; i < 50; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
            Permit next = turns.begin(false);
            turns.end(last);
            last = next;
        }
        assertThat(turns.begin(true)).isNull();
    }
}
