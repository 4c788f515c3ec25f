package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each line of the security checklist is shown by a test that exists, or is one that only operators can check. */
class SecurityChecklistTest {
    private static final Path ROOT = Path.of("..");
    private static final String TESTS = "## The tests that show it";

    /** The cells of the tables of a text, without their heads. */
    private static List<String[]> rows(String text) {
        return text.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| check |") && !line.startsWith("| --- |"))
                .map(line -> line.replaceAll("^\\| | \\|$", "").split(" \\| ", 2))
                .toList();
    }

    private static String page() throws IOException {
        return Files.readString(ROOT.resolve("docs/security-checklist.md"));
    }

    @Test
    void eachLineNamesTheTestThatShowsIt() throws IOException {
        String[] parts = page().split(Pattern.quote(TESTS));
        assertThat(parts).hasSize(2);
        List<String> checks = rows(parts[0]).stream().map(row -> row[0]).toList();
        List<String> shown = rows(parts[1]).stream().map(row -> row[0]).toList();

        assertThat(shown)
                .as("the table at the end of docs/security-checklist.md has each check, in their order")
                .containsExactlyElementsOf(checks);
        assertThat(checks).doesNotHaveDuplicates().hasSizeGreaterThan(30);
    }

    @Test
    void eachTestExists() throws IOException {
        Map<String, String> sources = sources();
        List<String> missing = new ArrayList<>();
        Map<String, String> shownBy = new LinkedHashMap<>();
        rows(page().split(Pattern.quote(TESTS))[1]).forEach(row -> shownBy.put(row[0], row[1]));
        shownBy.forEach((check, tests) -> {
            if (tests.startsWith("yours")) {
                return;
            }
            for (String test : tests.replace("`", "").split(", ")) {
                String[] name = test.split("[.]");
                if (name.length != 2 || !sources.getOrDefault(name[0], "").contains("void " + name[1] + "(")) {
                    missing.add(test + ": " + check);
                }
            }
        });
        assertThat(missing).as("these name a test that does not exist").isEmpty();
    }

    /** The sources of all tests by the names of their classes. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        List<String> modules = Pattern.compile("<module>(.*?)</module>")
                .matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .toList();
        for (String module : modules) {
            for (String folder : List.of("src/test/java", "src/main/java")) {
                Path below = ROOT.resolve(module).resolve(folder);
                if (!Files.isDirectory(below)) {
                    continue;
                }
                try (Stream<Path> files = Files.walk(below)) {
                    for (Path file : files.filter(SecurityChecklistTest::isTest).toList()) {
                        String name = file.getFileName().toString().replace(".java", "");
                        sources.merge(name, Files.readString(file), String::concat);
                    }
                }
            }
        }
        return sources;
    }

    private static boolean isTest(Path file) {
        return file.toString().matches(".*(Test|IT|Contract)[.]java");
    }
}
