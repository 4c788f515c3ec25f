package dev.muster.cli.internal.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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

    @Test
    void theLauncherScriptSaysWhatATerminalIs() throws IOException {
        assertThat(Files.readString(Path.of("..", "muster")))
                .contains("[ -t 2 ]", "-D" + Terminal.COLUMNS + "=")
                .contains("[ -t 0 ]", "-D" + Question.INPUT + "=true");
        assertThat(Files.readString(source("Terminal"))).contains("Integer.getInteger(COLUMNS, 0)");
        assertThat(Files.readString(source("Question"))).contains("Boolean.getBoolean(INPUT)");
    }

    private static Path source(String name) {
        return Path.of("src/main/java/dev/muster/cli/internal/console", name + ".java");
    }
}
