package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Rules for the tests of all modules, whose sources this test reads. The name of a test class says what it needs: {@code …IT}
 * starts a database, {@code …Test} starts none. A class starts a database if it calls what starts one, or uses a class of its
 * module's test sources that does. And no test sleeps: it waits for what it wants to see.
 */
class TestSourcesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern STARTS_A_DATABASE = Pattern.compile(
            "@MusterTest\\b|\\bTestDatabase\\.from|\\bEmbeddedPostgres\\.(builder|shared)\\b|\\bCliProcess\\.start\\b");
    private static final Pattern TEST_METHOD =
            Pattern.compile("@(Test|ParameterizedTest|RepeatedTest|TestFactory|ArchTest)\\b");
    private static final Pattern SLEEPS = Pattern.compile("\\bThread\\.sleep\\b|(SECONDS|MINUTES)\\.sleep\\b");
    private static final Pattern COMMENT_OR_STRING =
            Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w*\\b");

    /** A module's folder, and the code of its test classes by their names, without comments and strings. */
    private record TestSources(String folder, Map<String, String> code) {

        static TestSources of(String folder) throws IOException {
            Map<String, String> code = new HashMap<>();
            List<Path> files;
            try (Stream<Path> all = Files.walk(ROOT.resolve(folder).resolve("src/test/java"))) {
                files = all.filter(file -> file.toString().endsWith(".java")).toList();
            }
            for (Path file : files) {
                String name = file.getFileName().toString().replace(".java", "");
                String text = COMMENT_OR_STRING.matcher(Files.readString(file)).replaceAll("");
                code.merge(name, text, String::concat);
            }
            return new TestSources(folder, code);
        }

        boolean startsADatabase(String name) {
            return startsADatabase(name, new HashSet<>());
        }

        private boolean startsADatabase(String name, Set<String> seen) {
            String text = code.get(name);
            if (text == null || !seen.add(name)) {
                return false;
            }
            return STARTS_A_DATABASE.matcher(text).find()
                    || TYPE.matcher(text).results().anyMatch(type -> startsADatabase(type.group(), seen));
        }

        Stream<String> classes(Predicate<String> wanted) {
            return code.keySet().stream().filter(wanted).map(name -> folder + " " + name);
        }
    }

    private static List<TestSources> modules() throws IOException {
        List<String> folders = Pattern.compile("<module>(.*?)</module>")
                .matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .filter(folder -> Files.isDirectory(ROOT.resolve(folder).resolve("src/test/java")))
                .toList();
        assertThat(folders).contains("core", "postgres", "engine-tests", "testkit", "cli", "chaos");
        List<TestSources> modules = new ArrayList<>();
        for (String folder : folders) {
            modules.add(TestSources.of(folder));
        }
        return modules;
    }

    @Test
    void aTestStartsNoDatabase() throws IOException {
        assertThat(modules().stream()
                        .flatMap(module ->
                                module.classes(name -> name.endsWith("Test") && module.startsADatabase(name))))
                .as("these start a database: call them …IT")
                .isEmpty();
    }

    @Test
    void anITStartsADatabase() throws IOException {
        assertThat(modules().stream()
                        .flatMap(
                                module -> module.classes(name -> name.endsWith("IT") && !module.startsADatabase(name))))
                .as("these start no database: call them …Test")
                .isEmpty();
    }

    /** Surefire runs only classes with these endings: nobody would notice that another one is never run. */
    @Test
    void aClassWithTestsHasOneOfTheTwoEndings() throws IOException {
        assertThat(modules().stream()
                        .flatMap(module -> module.classes(name -> !name.endsWith("Test")
                                && !name.endsWith("IT")
                                && TEST_METHOD.matcher(module.code().get(name)).find())))
                .as("these are never run")
                .isEmpty();
    }

    @Test
    void noTestSleeps() throws IOException {
        assertThat(modules().stream()
                        .flatMap(module -> module.classes(name -> (name.endsWith("Test") || name.endsWith("IT"))
                                && SLEEPS.matcher(module.code().get(name)).find())))
                .as("these sleep: wait with Awaitility, for a signal, or with Periods.nothingHappensFor")
                .isEmpty();
    }
}
