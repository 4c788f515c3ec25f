package dev.muster.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Turns turns = new Turns(nanos::get);

    @Test
    void inACrowdOneWaitsForTheOther() {
        assertThat(turns.begin(true)).isTrue();
        assertThat(turns.begin(true)).isFalse();
        turns.end();
        assertThat(turns.begin(true)).isTrue();
    }

    @Test
    void withoutOneNobodyWaits() {
        assertThat(turns.begin(false)).isTrue();
        assertThat(turns.begin(false)).isTrue();
    }

    @Test
    void anExchangeThatHangsHoldsUpTheOtherForASecond() {
        assertThat(turns.begin(true)).isTrue();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        assertThat(turns.begin(true)).isTrue();
        turns.end();
        assertThat(turns.begin(true)).as("once is enough").isTrue();
    }
}
