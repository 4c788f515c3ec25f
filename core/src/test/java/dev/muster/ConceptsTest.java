package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of docs/concepts.md says what the sources say: what it names exists, and a word has no second meaning in the name of a type. */
class ConceptsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern WORD = Pattern.compile("(\\w+)");
    private static final Pattern DEFINED =
            Pattern.compile("CREATE (?:OR REPLACE )?(?:TABLE|FUNCTION|VIEW) (muster_\\w+)");
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");
    private static final Set<String> SHIPPED = Set.of(
            "core",
            "postgres",
            "gateway",
            "cli",
            "client",
            "testkit",
            "spring-common",
            "micrometer",
            "opentelemetry",
            "document",
            "toml");

    private static final Set<String> GONE = Set.of(
            "ClaimScope",
            "TransactionScope",
            "QueuePermit",
            "ClaimPermission",
            "ProbeCompany",
            "EventBatch",
            "JobLine",
            "LineLimit",
            "LineStore",
            "LineKeeper",
            "LineSweep",
            "muster_lines",
            "line_at",
            "check_lines",
            "finish_placed",
            "forgetPlaces",
            "gainsFromCompany",
            "letGather");

    private static final String PAGE = read(ROOT.resolve("docs/concepts.md"));
    private static final String TABLE = PAGE.substring(PAGE.indexOf("## One word, one meaning"));

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The main sources of what is shipped with this ending, one after the other. */
    private static String text(String ending) {
        return SHIPPED.stream()
                .map(module -> ROOT.resolve(module).resolve("src/main"))
                .flatMap(ConceptsTest::files)
                .filter(file -> file.toString().endsWith(ending))
                .map(ConceptsTest::read)
                .collect(Collectors.joining("\n"));
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The rows of the table, by word: what it says, and which names it lists. */
    private static Map<String, List<String>> rows() {
        Map<String, List<String>> rows = new HashMap<>();
        for (String row :
                TABLE.lines().filter(line -> line.startsWith("| ")).skip(2).toList()) {
            String[] cells = row.split("\\|");
            rows.put(
                    cells[1].strip() + (cells[2].contains("only") ? "!" : ""),
                    NAME.matcher(cells[3]).results().map(name -> name.group(1)).toList());
        }
        return rows;
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(found.groupCount()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void whatTheTableNamesExists() {
        Set<String> types = all(TYPE, text(".java"));
        Set<String> defined = all(DEFINED, text(".sql"));
        String settings = read(ROOT.resolve("docs/settings.md"));
        Map<String, List<String>> rows = rows();
        assertThat(rows).hasSizeGreaterThan(20);
        rows.forEach((word, names) -> assertThat(names).as(word).isNotEmpty().allSatisfy(name -> {
            if (name.endsWith(".sql")) {
                assertThat(ROOT.resolve("postgres/src/main/resources/dev/muster/postgres")
                                .resolve(name))
                        .exists();
            } else if (name.startsWith("muster_")) {
                assertThat(defined).contains(name);
            } else if (name.contains(".")) {
                assertThat(settings).contains("| `" + name + "` |");
            } else {
                assertThat(types).contains(name);
            }
        }));
    }

    @Test
    void aWordWithOneMeaningIsInTheNamesOfItsOwnTypesOnly() {
        Set<String> types = all(TYPE, text(".java"));
        rows().forEach((word, names) -> {
            if (word.endsWith("!")) {
                String capital = word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1, word.length() - 1);
                Pattern part = Pattern.compile("(?:^|[a-z0-9])" + capital + "(?:s|d)?(?:[A-Z].*)?$");
                assertThat(types.stream().filter(type -> part.matcher(type).find()))
                        .as("types with the word %s in their names, which the table lists", word)
                        .isSubsetOf(names);
            }
        });
    }

    /** Somebody who knows the old ones might use one for something new. */
    @Test
    void namesThatAreGoneDoNotComeBack() {
        assertThat(all(WORD, text(".java") + text(".sql") + text(".js"))).doesNotContainAnyElementsOf(GONE);
    }

    @Test
    void columnsHaveTheWordsThatTheTableGivesThem() {
        List<MatchResult> columns = Pattern.compile("(?m)^  (?:ADD COLUMN )?(line|place|scope|permit)\\s+\\w+")
                .matcher(text(".sql"))
                .results()
                .toList();
        assertThat(columns)
                .as("columns with a word of one meaning: the number of a log line")
                .hasSize(1);
    }
}
