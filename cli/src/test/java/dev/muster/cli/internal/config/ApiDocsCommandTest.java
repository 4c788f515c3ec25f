package dev.muster.cli.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ApiDocsCommandTest {

    @Test
    void printsThePageInTheDocs() throws IOException {
        assertThat(Cli.run("config", "api-docs").done().out())
                .isEqualTo(Files.readString(Path.of("..", "docs", "http-reference.md")));
    }

    @Test
    void isNotAmongTheCommandsThatTheHelpLists() {
        assertThat(Cli.run("config", "--help").done().out()).contains("docs").doesNotContain("api-docs");
    }
}
