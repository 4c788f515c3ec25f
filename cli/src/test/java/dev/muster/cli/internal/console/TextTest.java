package dev.muster.cli.internal.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

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

    /** U+009B and U+009D begin control sequences in terminals that read UTF-8, U+202E turns a line round, U+E0001 cannot be seen. */
    @Test
    void noCharacterControlsATerminal() {
        String evil = "a\u0007b\u009bc\u009dd\u202ee\u2028f\udb40\udc01g\u007fh\u001bi\rj";

        assertThat(new Table("A").row(evil).toString()).isEqualTo("A\na b c d e f g h i j\n");

        StringWriter written = new StringWriter();
        CommandLine command = new CommandLine(CommandSpec.create());
        command.setOut(new PrintWriter(written));
        PlainText.guard(command);
        PlainText.guard(command);
        command.getOut().print(evil + "\tk\n");
        command.getOut().flush();
        assertThat(written)
                .hasToString("a\\u0007b\\u009bc\\u009dd\\u202ee\\u2028f\\udb40\\udc01g\\u007fh\\u001bi\\u000dj\tk\n");
    }

    /** Muster itself moves the cursor; what it shows there does not. */
    @Test
    void aStatusLineCannotSteerATerminal() {
        StringWriter written = new StringWriter();
        CommandLine command = new CommandLine(CommandSpec.create());
        command.setErr(new PrintWriter(written));
        PlainText.guard(command);
        Terminal terminal = new Terminal(command.getErr(), 80);

        terminal.show("a\u009b31mb");
        terminal.redraw(List.of("c\u001b[2Jd"));
        terminal.line("e\u009bf");

        assertThat(written.toString())
                .contains("\r\033[Ka 31mb", "c [2Jd\n", "e\\u009bf")
                .doesNotContain("\u009b", "\u001b[2J");
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
