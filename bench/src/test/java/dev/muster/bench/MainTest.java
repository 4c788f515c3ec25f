package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private int run(String... args) {
        return Main.run(new PrintStream(out, true, StandardCharsets.UTF_8), args);
    }

    @Test
    void the_help_says_what_each_scenario_does_and_how_long_it_takes() {
        assertThat(run("--help")).isZero();
        for (ScenarioName what : ScenarioName.values()) {
            assertThat(out.toString(StandardCharsets.UTF_8)).containsPattern("  " + what + " +.* min.*\\)");
        }
    }

    @Test
    void what_cannot_be_measured_is_bad_usage() {
        assertThat(run("--scenario", "throughput")).isEqualTo(2);
        assertThat(run("--only", "kafka")).isEqualTo(2);
        assertThat(run("--rounds", "0")).isEqualTo(2);
        assertThat(run("-o", "xml")).isEqualTo(2);
        assertThat(run("--charts", "/dev/null/charts")).isEqualTo(2);
        assertThat(out.size()).isZero();
    }
}
