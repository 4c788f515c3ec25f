package dev.muster.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
    private static final Instant NOON = Instant.parse("2030-01-31T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final AtomicInteger readings = new AtomicInteger();
    private Instant shown = NOON;
    private Duration takes = Duration.ZERO;
    private boolean away;
    private final DatabaseClock clock = new DatabaseClock(this::read, nanos::get);

    private Instant read() {
        readings.incrementAndGet();
        if (away) {
            throw new DatabaseUnavailable("the database is away", null);
        }
        advance(takes);
        return shown;
    }

    private void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    @Test
    void oneReadingLastsForAMinute() {
        assertThat(clock.now()).isEqualTo(NOON);
        advance(Duration.ofSeconds(59));
        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(59));
        assertThat(readings).hasValue(1);

        shown = NOON.plusSeconds(90);
        advance(Duration.ofSeconds(1));

        assertThat(clock.now()).as("the database's clock was set").isEqualTo(NOON.plusSeconds(90));
        assertThat(readings).hasValue(2);
    }

    @Test
    void theDatabaseIsTakenToAnswerInTheMiddle() {
        takes = Duration.ofSeconds(2);

        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(1));
    }

    @Test
    void withoutAnyReadingThereIsNoTime() {
        away = true;
        assertThatThrownBy(clock::now).isInstanceOf(DatabaseUnavailable.class);
        away = false;
        assertThat(clock.now()).isEqualTo(NOON);
    }

    @Test
    void anOldReadingIsUsedWhileTheDatabaseIsAway() {
        clock.now();
        away = true;
        advance(Duration.ofMinutes(2));

        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(120));
        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(120));
        assertThat(readings).as("it does not ask with each call").hasValue(2);
        away = false;
        shown = NOON.plusSeconds(125);
        advance(Duration.ofSeconds(5));
        assertThat(clock.now()).isEqualTo(NOON.plusSeconds(125));
        assertThat(readings).hasValue(3);
    }
}
