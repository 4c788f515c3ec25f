package dev.muster.cli.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.internal.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ConfigRouteTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void settings() throws IOException {
        file = Files.writeString(folder.resolve("my.toml"), """
                [[routing.rules]]
                match = "heavy_*"
                executor = "big"

                [[routing.rules]]
                match = "ml::*"
                executor = "gpu"

                [[routing.rules]]
                match = "**::train"
                executor = "big"

                [executors.gpu]
                size = 2

                [executors.big]
                size = 4

                [executors.py]
                kind = "process"
                size = 3
                command = ["python3", "worker.py"]
                jobs = ["ml::resize"]
                """);
    }

    @Test
    void theFirstRuleThatMatchesDecides() {
        assertThat(route("ml::train").done().out()).isEqualTo("""
                ml::train runs on executor gpu (threads, size 2), decided by rule 2, ml::*

                RULE  MATCH      EXECUTOR  RESULT
                1     heavy_*    big       does not match
                2     ml::*      gpu       matches
                3     **::train  big       not reached
                """);

        JsonNode json = route("ml::train", "-o", "json").done().json();
        assertThat(json.propertyNames())
                .containsExactly("name", "executor", "kind", "size", "decided_by", "rule", "rules");
        assertThat(json.get("name").asString()).isEqualTo("ml::train");
        assertThat(json.get("executor").asString()).isEqualTo("gpu");
        assertThat(json.get("kind").asString()).isEqualTo("threads");
        assertThat(json.get("size").asInt()).isEqualTo(2);
        assertThat(json.get("decided_by").asString()).isEqualTo("rule");
        assertThat(json.get("rule").asInt()).isEqualTo(2);
        assertThat(json.get("rules").get(0).toString())
                .isEqualTo("{\"number\":1,\"match\":\"heavy_*\",\"executor\":\"big\",\"result\":\"does_not_match\"}");
        assertThat(json.get("rules").get(1).get("result").asString()).isEqualTo("matches");
        assertThat(json.get("rules").get(2).get("result").asString()).isEqualTo("not_reached");
    }

    @Test
    void withoutAMatchTheDefaultDecides() {
        assertThat(route("mail").done().out())
                .startsWith("mail runs on executor default (threads, size 16), decided by routing.default,"
                        + " because no rule matches\n")
                .contains("3     **::train  big       does not match");
        assertThat(route("mail", "--set", "routing.default=none").done().out())
                .startsWith("mail runs on no executor of this node, decided by routing.default");

        JsonNode json = route("mail", "--set", "routing.default=none", "-o", "json")
                .done()
                .json();
        assertThat(json.get("executor").isNull()).isTrue();
        assertThat(json.get("kind").isNull()).isTrue();
        assertThat(json.get("size").isNull()).isTrue();
        assertThat(json.get("rule").isNull()).isTrue();
        assertThat(json.get("decided_by").asString()).isEqualTo("default");
    }

    @Test
    void aJobThatACommandListsReachesNoRule() {
        assertThat(route("ml::resize").done().out())
                .startsWith("ml::resize runs on executor py (process, size 3), decided by executors.py.jobs")
                .contains("2     ml::*      gpu       not reached");
        assertThat(route("ml::resize", "-o", "json")
                        .done()
                        .json()
                        .get("decided_by")
                        .asString())
                .isEqualTo("jobs");
    }

    @Test
    void saysThatACommandCannotRunOtherJobs() {
        Cli.Result result = route("mail", "--set", "routing.default=py").done();
        assertThat(result.err()).contains("runs only the jobs that executors.py.jobs lists");
        assertThat(route("ml::resize").err()).isEmpty();
    }

    @Test
    void withoutRulesThereIsOneLine() {
        assertThat(Cli.run("config", "route", "mail").done().out().lines()).hasSize(1);
    }

    @Test
    void badNamesAndBadSettingsAreRefused() {
        route("Ml::train").failed(ExitCode.USAGE, "job name 'Ml::train' is not allowed");
        route("ml::*").failed(ExitCode.USAGE, "job name 'ml::*' is not allowed");
        Cli.run("config", "route").failed(ExitCode.USAGE, "NAME");
        route("mail", "--set", "routing.default=gppu").failed(ExitCode.USAGE, "did you mean 'gpu'?");
    }

    private Cli.Result route(String... args) {
        return Cli.run(Stream.concat(Stream.of("config", "route", "--config", file.toString()), Arrays.stream(args))
                .toArray(String[]::new));
    }
}
