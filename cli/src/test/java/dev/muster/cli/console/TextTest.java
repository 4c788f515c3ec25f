package dev.muster.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TextTest {

    @Test
    void columnsAreAligned() {
        assertThat(new Table("A", "LONG").row("value", 1).row("x", "y").toString())
                .isEqualTo("A      LONG\nvalue  1\nx      y\n");
    }

    @Test
    void whatAJobCarriesCannotSteerATerminal() {
        assertThat(new Table("A").row("red\u001b[31m\nalert").toString()).isEqualTo("A\nred [31m alert\n");
        assertThat(Table.cut("abcdef", 4)).isEqualTo("abc…");
    }

    @Test
    void timesAreSaidAsPeopleDo() {
        Instant now = Instant.parse("2030-01-01T00:00:00Z");
        Ages ages = new Ages(now);
        assertThat(ages.of(now.minusSeconds(3))).isEqualTo("3s ago");
        assertThat(ages.of(now.plusSeconds(600))).isEqualTo("in 10m");
        assertThat(ages.of(Optional.empty())).isEqualTo("-");
        assertThat(Ages.brief(Duration.ofMillis(250))).isEqualTo("250ms");
        assertThat(Ages.brief(Duration.ofHours(47))).isEqualTo("47h");
        assertThat(Ages.brief(Duration.ofDays(9))).isEqualTo("9d");
    }
}
