package dev.muster.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.event.EventStore.Horizon;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettledTimeTest {
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private final SettledTime time = new SettledTime();

    private static Instant at(int second) {
        return START.plusSeconds(second);
    }

    private Instant read(int second, Long... open) {
        return time.advance(new Horizon(at(second), Optional.of(Set.of(open))));
    }

    @Test
    void nowIsSettledWhenNoTransactionIsOpen() {
        assertThat(read(1)).isEqualTo(at(1));
    }

    @Test
    void anEarlierReadingIsSettledOnceAllTransactionsOfThenAreOver() {
        assertThat(read(1, 8L, 9L)).isNull();
        assertThat(read(2, 9L, 10L)).as("9 was open then and is now").isNull();
        assertThat(read(3, 10L, 11L)).isEqualTo(at(1));
        assertThat(read(4, 11L)).as("11 was open at second 3").isEqualTo(at(1));
        assertThat(read(5, 12L)).isEqualTo(at(3));
        assertThat(read(6)).isEqualTo(at(6));
    }

    @Test
    void aServerThatDoesNotKnowItsTransactionsSettlesNothing() {
        assertThat(read(1)).isEqualTo(at(1));
        assertThat(time.advance(new Horizon(at(2), Optional.empty()))).isNull();
    }
}
