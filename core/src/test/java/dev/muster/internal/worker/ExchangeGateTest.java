package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.worker.ExchangeGate.Pass;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ExchangeGateTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ExchangeGate gate = new ExchangeGate(nanos::get);

    @Test
    void inACrowdOneWaitsForTheOther() {
        Pass first = gate.begin(true);
        assertThat(gate.begin(true)).isNull();
        gate.end(first);
        assertThat(gate.begin(true)).isNotNull();
    }

    @Test
    void withoutOneNobodyWaits() {
        assertThat(gate.begin(false)).isNotNull();
        assertThat(gate.begin(false)).isNotNull();
    }

    @Test
    void anExchangeThatHangsHoldsUpTheOtherForASecond() {
        gate.begin(true);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        Pass second = gate.begin(true);
        assertThat(second).isNotNull();
        assertThat(gate.begin(true)).as("beside the one that does not hang").isNull();
        gate.end(second);
        assertThat(gate.begin(true)).as("the first one hangs still").isNotNull();
    }

    @Test
    void exchangesThatOverlapForLongDoNotCountAsOneThatHangs() {
        Pass last = gate.begin(false);
        for (int i = 0; i < 50; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
            Pass next = gate.begin(false);
            gate.end(last);
            last = next;
        }
        assertThat(gate.begin(true)).isNull();
    }
}
