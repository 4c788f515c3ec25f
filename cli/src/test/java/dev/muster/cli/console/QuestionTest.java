package dev.muster.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class QuestionTest {
    private static boolean canBeAsked(int columns, boolean answered) {
        PrintWriter err = new PrintWriter(new StringWriter());
        return new Question(err, new Terminal(err, columns), answered).canBeAsked();
    }

    @Test
    void isAskedOnlyWhereItIsSeenAndCanBeAnswered() {
        assertThat(canBeAsked(0, false)).isFalse();
        assertThat(canBeAsked(80, false))
                .as("input comes from a file or a pipe")
                .isFalse();
        assertThat(canBeAsked(80, true)).isTrue();
        assertThat(canBeAsked(0, true)).as("nobody sees it").isFalse();
    }
}
