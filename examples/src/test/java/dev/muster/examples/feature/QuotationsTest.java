package dev.muster.examples.feature;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the docs show of the examples is what the examples say. A code block that follows the comment {@code <!-- example: Name
 * -->} quotes that class: each run of lines between two blank lines stands in it as it is, but for the indentation.
 */
class QuotationsTest {
    private static final Pattern MARKER = Pattern.compile("<!-- example: (\\w+) -->");
    private static final Pattern QUOTATION = Pattern.compile("(?s)<!-- example: (\\w+) -->\n```java\n(.*?)\n```");

    private record Quotation(Path page, String example, String code) {}

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(Path.of("../README.md"), Path.of("README.md")));
        try (Stream<Path> docs = Files.list(Path.of("../docs"))) {
            docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        return pages;
    }

    private static List<Quotation> quotations(Path page) throws IOException {
        // Blocks inside of lists are indented as a whole.
        String text = Files.readString(page).replaceAll("(?m)^ +(?=<!-- example|```)", "");
        List<Quotation> quotations = new ArrayList<>();
        for (Matcher quotation = QUOTATION.matcher(text); quotation.find(); ) {
            quotations.add(new Quotation(page, quotation.group(1), quotation.group(2)));
        }
        assertThat(quotations)
                .as("code blocks of %s that follow a marker", page)
                .hasSameSizeAs(MARKER.matcher(text).results().toList());
        return quotations;
    }

    @Test
    void quotedLinesStandInTheExample() throws IOException {
        List<Quotation> all = new ArrayList<>();
        for (Path page : pages()) {
            all.addAll(quotations(page));
        }
        assertThat(all).as("quotations in the docs").isNotEmpty();
        for (Quotation quotation : all) {
            ExampleSource source = ExampleSource.named(quotation.example());
            for (String fragment : quotation.code().split("\n\\s*\n")) {
                assertThat(source.contains(fragment.stripIndent().lines().toList()))
                        .as("%s quotes lines of %s that are not there:%n%s", quotation.page(), source.name(), fragment)
                        .isTrue();
            }
        }
    }

    @Test
    void theTableListsEveryExample() throws IOException {
        List<String> table = Examples.ALL.stream()
                .map(ExampleSource::of)
                .map(source -> "| [%s](%s/%s.java) | %s |"
                        .formatted(source.name(), ExampleSource.FEATURES, source.name(), source.summary()))
                .toList();
        assertThat(Files.readAllLines(Path.of("README.md")).stream()
                        .filter(line -> line.contains("](" + ExampleSource.FEATURES + "/")))
                .as("the table in examples/README.md; it should be%n%s", String.join("\n", table))
                .isEqualTo(table);
    }
}
