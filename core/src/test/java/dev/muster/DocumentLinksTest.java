package dev.muster;

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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between the pages of the documentation lead to a file that exists, and to a heading that it has. */
class DocumentLinksTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]+`");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*?)\\s*$");

    private final Map<Path, Set<String>> headings = new HashMap<>();

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> folders = Files.find(ROOT, 2, (path, is) -> is.isRegularFile() && isPage(path));
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            folders.filter(page -> !page.startsWith(ROOT.resolve("docs"))).forEach(pages::add);
            docs.filter(DocumentLinksTest::isPage).forEach(pages::add);
        }
        return pages;
    }

    private static boolean isPage(Path path) {
        return path.toString().endsWith(".md");
    }

    /** The anchors that a page's headings get: lower case, without punctuation, with hyphens for spaces. */
    private Set<String> headings(Path page) {
        return headings.computeIfAbsent(page, read -> {
            try {
                Map<String, Integer> seen = new HashMap<>();
                Set<String> anchors = new HashSet<>();
                String text = Pattern.compile("(?s)```.*?```")
                        .matcher(Files.readString(read))
                        .replaceAll("");
                for (MatchResult heading : HEADING.matcher(text).results().toList()) {
                    String anchor = heading.group(1)
                            .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                            .replace(' ', '-');
                    int times = seen.merge(anchor, 1, Integer::sum);
                    anchors.add(times == 1 ? anchor : anchor + "-" + (times - 1));
                }
                return anchors;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void eachLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            String text = CODE.matcher(Files.readString(page)).replaceAll("");
            for (MatchResult link : LINK.matcher(text).results().toList()) {
                String target = link.group(1);
                if (target.matches("[a-z]+:.*")) {
                    continue;
                }
                links++;
                String[] parts = target.split("#", 2);
                Path file = parts[0].isEmpty()
                        ? page
                        : page.resolveSibling(parts[0]).normalize();
                boolean works = Files.exists(file)
                        && (parts.length == 1 || !isPage(file) || headings(file).contains(parts[1]));
                if (!works) {
                    broken.add(ROOT.relativize(page) + ": " + target);
                }
            }
        }
        assertThat(links).isGreaterThan(200);
        assertThat(broken).as("these links lead nowhere").isEmpty();
    }
}
