package dev.muster.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The code in the guides is the code of this module. A block that follows {@code <!-- code: Class, name -->} is what stands in that
 * class between {@code // show: name} and {@code // end}. Every block of Java or SQL has to be such a quotation.
 */
class GuidesTest {
    private static final Path DOCS = Path.of("../../docs");
    private static final Pattern SHOWN = Pattern.compile("(?ms)^ *(?://|--) show: ([\\w -]+)\n(.*?)^ *(?://|--) end$");
    private static final Pattern BLOCK =
            Pattern.compile("(?s)(?:<!-- code: (\\w+), ([\\w -]+) -->\n)?```(?:java|sql)\n(.*?)```");

    private static List<Path> guides() throws IOException {
        try (Stream<Path> pages = Files.list(DOCS)) {
            return pages.filter(page -> page.getFileName().toString().startsWith("migrating-from-"))
                    .sorted()
                    .toList();
        }
    }

    /** What the sources show, by class and name. */
    private static Map<String, String> shown() throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            sources = files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("GuidesTest.java"))
                    .toList();
        }
        Map<String, String> shown = new HashMap<>();
        for (Path source : sources) {
            String type = source.getFileName().toString().replace(".java", "");
            for (Matcher part = SHOWN.matcher(Files.readString(source)); part.find(); ) {
                shown.put(
                        type + ", " + part.group(1),
                        part.group(2).stripTrailing().stripIndent() + "\n");
            }
        }
        return shown;
    }

    @Test
    void everyBlockQuotesTheSources() throws IOException {
        Map<String, String> shown = shown();
        Set<String> unquoted = new HashSet<>(shown.keySet());
        List<Path> guides = guides();
        assertThat(guides).hasSize(3);
        for (Path guide : guides) {
            for (Matcher block = BLOCK.matcher(Files.readString(guide)); block.find(); ) {
                assertThat(block.group(1))
                        .as("%s has a block without a marker:%n%s", guide, block.group(3))
                        .isNotNull();
                String name = block.group(1) + ", " + block.group(2);
                assertThat(block.group(3)).as("%s quotes %s", guide, name).isEqualTo(shown.get(name));
                unquoted.remove(name);
            }
        }
        assertThat(unquoted).as("what the sources show and no guide quotes").isEmpty();
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path guide : guides()) {
            Pattern.compile("\\]\\(([^)#]+)(?:#([^)]+))?\\)")
                    .matcher(Files.readString(guide))
                    .results()
                    .filter(link -> !link.group(1).startsWith("http"))
                    .filter(link -> !leadsSomewhere(link.group(1), link.group(2)))
                    .forEach(link -> broken.add(guide.getFileName() + ": " + link.group()));
        }
        assertThat(broken).isEmpty();
    }

    private static boolean leadsSomewhere(String page, String heading) {
        Path file = DOCS.resolve(page);
        if (heading == null || !Files.exists(file)) {
            return Files.exists(file);
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("#"))
                    .map(line -> line.replaceFirst("^#+ ", "")
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^\\w -]", "")
                            .replace(' ', '-'))
                    .anyMatch(heading::equals);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
