package dev.muster.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QuestionTest {
    @AfterEach
    void noTerminal() {
        System.clearProperty("muster.terminal.columns");
        System.clearProperty("muster.terminal.input");
    }

    private static boolean canBeAsked() {
        return new Question(new PrintWriter(new StringWriter())).canBeAsked();
    }

    @Test
    void isAskedOnlyWhereItIsSeenAndCanBeAnswered() {
        assertThat(canBeAsked()).isFalse();
        System.setProperty("muster.terminal.columns", "80");
        assertThat(canBeAsked()).as("input comes from a file or a pipe").isFalse();
        System.setProperty("muster.terminal.input", "true");
        assertThat(canBeAsked()).isTrue();
        System.clearProperty("muster.terminal.columns");
        assertThat(canBeAsked()).as("nobody sees it").isFalse();
    }
}
