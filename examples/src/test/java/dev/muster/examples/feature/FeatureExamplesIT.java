package dev.muster.examples.feature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each example runs on an empty database and prints what its Javadoc says. */
@Execution(ExecutionMode.CONCURRENT)
class FeatureExamplesIT {

    static List<Named<Example>> examples() {
        return Examples.ALL.stream()
                .map(example -> Named.of(Examples.nameOf(example), example))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void printsWhatItsJavadocSays(Example example) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (TestDatabase database = TestDatabase.fromEnv();
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            if (example instanceof DelayedJob) {
                useThisMachinesClock(database);
            }
            example.run(database.dataSource(), out);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .as(Examples.nameOf(example))
                .containsExactlyElementsOf(ExampleSource.of(example).output());
    }

    /** For an example that names an instant. Databases of tests stand at another time. */
    private static void useThisMachinesClock(TestDatabase database) {
        if (database.number("SELECT count(*) FROM pg_proc WHERE proname = 'test_clock_stands_at'") > 0) {
            database.execute("SELECT test_clock_stands_at(pg_catalog.clock_timestamp())");
        }
    }

    @Test
    void everyExampleIsListed() throws IOException {
        try (Stream<Path> files = Files.list(ExampleSource.FEATURES)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> !List.of("package-info.java", "Example.java", "Examples.java")
                                    .contains(name)))
                    .containsExactlyInAnyOrderElementsOf(Examples.ALL.stream()
                            .map(example -> Examples.nameOf(example) + ".java")
                            .toList());
        }
    }
}
