package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The index of the design decisions has each page once, and says the same as the pages of what was replaced. */
class AdrIndexTest {
    private static final Path FOLDER = Path.of("..", "docs", "adr");
    private static final Pattern PAGE = Pattern.compile("(\\d{4})-[a-z0-9-]+\\.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| \\[(\\d+)]\\(([^)]+)\\) \\| (.+) \\|$");
    private static final Pattern REPLACED = Pattern.compile("(?m)^\\*\\*Replaced(?: in part)?\\*\\* by (.*)$");
    private static final Pattern LINK = Pattern.compile("]\\((\\d{4})-");

    private static List<String> pages;
    private static String index;

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            pages = files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("README.md"))
                    .sorted()
                    .toList();
        }
        index = Files.readString(FOLDER.resolve("README.md"));
    }

    private static Stream<MatchResult> rows() {
        return ROW.matcher(index).results();
    }

    private static Set<Integer> linked(String text) {
        return LINK.matcher(text)
                .results()
                .map(link -> Integer.valueOf(link.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void eachPageIsInTheIndexOnce() {
        assertThat(pages).hasSizeGreaterThan(50).allMatch(PAGE.asMatchPredicate());
        assertThat(rows().map(row -> row.group(2)))
                .as("docs/adr/README.md has one row for each page")
                .containsExactlyInAnyOrderElementsOf(pages);
    }

    @Test
    void eachNumberIsThatOfItsPage() throws IOException {
        for (MatchResult row : rows().toList()) {
            assertThat(row.group(2)).startsWith("%04d-".formatted(Integer.valueOf(row.group(1))));
        }
        for (String page : pages) {
            assertThat(Files.readString(FOLDER.resolve(page)))
                    .as(page)
                    .startsWith("# " + Integer.valueOf(page.substring(0, 4)) + ". ");
        }
    }

    @Test
    void theIndexSaysWhatWasReplaced() throws IOException {
        var byPages = new TreeMap<Integer, Set<Integer>>();
        for (String page : pages) {
            REPLACED.matcher(Files.readString(FOLDER.resolve(page)))
                    .results()
                    .forEach(by -> byPages.put(Integer.valueOf(page.substring(0, 4)), linked(by.group(1))));
        }
        var byIndex = new TreeMap<Integer, Set<Integer>>();
        rows().filter(row -> row.group(3).contains("; replaced"))
                .forEach(row -> byIndex.put(
                        Integer.valueOf(row.group(1)),
                        linked(row.group(3).substring(row.group(3).indexOf("; replaced")))));

        assertThat(byPages).isNotEmpty();
        assertThat(byIndex)
                .as(
                        "rows of docs/adr/README.md that end in '; replaced …', and pages with a line '**Replaced …** by …'")
                .isEqualTo(byPages);
        byPages.forEach((page, by) -> assertThat(by)
                .as("what replaces ADR %s came later", page)
                .isNotEmpty()
                .allMatch(later -> later > page));
    }
}
