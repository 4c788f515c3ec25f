package dev.muster.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionTest {
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123456Z");
    private static final UUID LOW = UUID.fromString("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");
    private static final UUID HIGH = UUID.fromString("f198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");

    @Test
    void keepsEveryMicrosecondAsText() {
        Position position = Position.of(NOON, LOW);

        assertThat(position).hasToString("1772366400123456-0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");
        assertThat(Position.parse(position.toString())).isEqualTo(position);
        assertThat(position.moment()).isEqualTo(NOON);
    }

    @Test
    void isOrderedByTimeAndThenById() {
        List<Position> order = List.of(
                Position.of(NOON.minusNanos(1_000), HIGH),
                Position.before(NOON),
                Position.of(NOON, LOW),
                Position.of(NOON, HIGH),
                Position.after(NOON),
                Position.before(NOON.plusNanos(1_000)));

        assertThat(order).isSorted().doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "12",
                "-1-0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11",
                "99999999999999999999-0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11",
                "1-0198c5a2",
                "1-0198C5A2-7D1E-7C3A-9B1F-2F6D0C9E4B11x"
            })
    void refusesWhatIsNoPosition(String text) {
        assertThatThrownBy(() -> Position.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no position");
    }
}
