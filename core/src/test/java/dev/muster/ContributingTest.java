package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What CONTRIBUTING.md names exists: types, their members, SQL files, functions and tables, settings, packages and files. A name that has a
 * typo, or was left behind when the code was renamed, sends its reader searching.
 */
class ContributingTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path SQL = ROOT.resolve("postgres/src/main/resources/dev/muster/postgres");
    private static final String PLACES = "## Where it happens";

    private static final Pattern FENCED = Pattern.compile("(?s)```.*?```");
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern TYPE = Pattern.compile("@?([A-Z][a-z]\\w*)((?:\\.\\w+)*)(\\(.*\\))?");
    private static final Pattern WORD = Pattern.compile("\\w+");
    private static final Pattern DEFINED =
            Pattern.compile("(?i)\\b(?:TABLE|FUNCTION|VIEW|INDEX|SEQUENCE) (?:IF NOT EXISTS )?(muster_\\w+)");

    /** Annotations and types of libraries. */
    private static final Set<String> FOREIGN = Set.of("Test", "Nested", "Isolated", "ResourceLock", "Command");

    /** The example of a function that takes another one's place. */
    private static final Set<String> SUCCESSOR = Set.of("muster_verdicts2");

    /** The names of files, from the root. */
    private static final Set<String> files = new HashSet<>();
    /** The source texts of types by their simple names; of types of the same name one after the other. */
    private static final Map<String, String> sources = new HashMap<>();

    private static final Set<String> words = new HashSet<>();
    private static final Set<String> defined = new HashSet<>();
    private static String page;

    @BeforeAll
    static void read() throws IOException {
        page = FENCED.matcher(Files.readString(ROOT.resolve("CONTRIBUTING.md"))).replaceAll("");
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes is) {
                String name = folder.getFileName().toString();
                boolean made = name.equals("target") || name.equals("node_modules") || name.startsWith(".");
                return made && !folder.equals(ROOT) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes is) throws IOException {
                String path = ROOT.relativize(file).toString();
                files.add(path);
                if (path.endsWith(".java")) {
                    String text = Files.readString(file);
                    sources.merge(file.getFileName().toString().replace(".java", ""), text, String::concat);
                    addWords(text);
                } else if (path.endsWith(".sql")) {
                    String text = Files.readString(file);
                    DEFINED.matcher(text).results().forEach(what -> defined.add(what.group(1)));
                    addWords(text);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(sources).hasSizeGreaterThan(1_000);
    }

    private static void addWords(String text) {
        WORD.matcher(text).results().map(MatchResult::group).forEach(words::add);
    }

    /** What stands between backticks in this part of the page, one name for each step of a way such as {@code A → b.sql}. */
    private static Set<String> names(String text) {
        Set<String> names = new LinkedHashSet<>();
        CODE.matcher(text)
                .results()
                .flatMap(code -> Stream.of(code.group(1).split("→")))
                .forEach(name -> {
                    if (!name.isBlank()) {
                        names.add(name.strip());
                    }
                });
        return names;
    }

    private static boolean exists(String name) {
        var type = TYPE.matcher(name);
        if (name.contains("…") || name.contains(" ")) {
            return true; // a pattern, a command, or a statement
        } else if (name.endsWith(".sql")) {
            return name.equals(".sql")
                    || Stream.of(SQL, SQL.resolve("migrations"), ROOT).anyMatch(in -> Files.exists(in.resolve(name)));
        } else if (name.startsWith("{")) {
            return Files.exists(SQL.resolve(name.substring(1, name.length() - 1) + ".sql"));
        } else if (name.startsWith("muster_")) {
            return defined.contains(name.replace("()", "")) || SUCCESSOR.contains(name);
        } else if (name.startsWith("dev.muster")) {
            String path = name.replace('.', '/');
            return files.stream()
                    .anyMatch(file -> file.contains("/" + path + "/") || file.endsWith("/" + path + ".java"));
        } else if (type.matches()) {
            return FOREIGN.contains(type.group(1)) || isMember(type.group(1), type.group(2));
        }
        return true;
    }

    /** Whether a type with these members, such as {@code .Builder.retry}, exists. A type without a file of its own is nested somewhere. */
    private static boolean isMember(String type, String members) {
        String text = sources.get(type);
        if (text == null) {
            Pattern nested = Pattern.compile("\\b(?:class|record|interface|enum) " + type + "\\b");
            return sources.values().stream()
                    .anyMatch(source -> nested.matcher(source).find() && haveWords(source, members));
        }
        return haveWords(text, members);
    }

    private static boolean haveWords(String text, String members) {
        return Stream.of(members.split("\\."))
                .filter(member -> !member.isEmpty())
                .allMatch(member ->
                        Pattern.compile("\\b" + member + "\\b").matcher(text).find());
    }

    @Test
    void whatItNamesExists() {
        Set<String> names = names(page);
        assertThat(names).hasSizeGreaterThan(300).contains("DeadNodeRecovery", "muster_verdicts");
        assertThat(names.stream().filter(name -> !exists(name)))
                .as("CONTRIBUTING.md names these, and nothing has that name")
                .isEmpty();
    }

    /** Settings, columns, duties and the like: what has no pattern of its own is at least a word of the code. */
    @Test
    void whereItHappensUsesWordsOfTheCode() throws IOException {
        String settings = Files.readString(ROOT.resolve("docs/settings.md"));
        String part = page.substring(page.indexOf(PLACES));
        part = part.substring(0, part.indexOf("\n## "));
        List<String> unknown = new ArrayList<>();
        for (String name : names(part)) {
            if (name.matches("[a-z]+\\.[a-z_]+") && !name.endsWith(".sql")) {
                boolean known = settings.contains("`" + name + "`")
                        || files.stream().anyMatch(file -> file.endsWith("/" + name));
                if (!known) {
                    unknown.add(name);
                }
            } else if (name.matches("[a-z_]+") && !words.contains(name)) {
                unknown.add(name);
            }
        }
        assertThat(unknown).as("no setting, file or word of the code").isEmpty();
    }

    @Test
    void theFilesAndModulesExist() throws IOException {
        Set<String> missing = new LinkedHashSet<>();
        for (String name : names(page)) {
            boolean path =
                    name.matches("[a-z0-9-]+(/[\\w.-]+)+") && !name.contains("target/") && !name.endsWith(".sql");
            if (path && !name.startsWith("META-INF") && !Files.exists(ROOT.resolve(name))) {
                missing.add(name);
            }
        }
        for (String row : page.lines().filter(line -> line.startsWith("| `")).toList()) {
            String module = row.replaceAll("^\\| `([^`]+)`.*", "$1");
            if (row.matches("\\| `[a-z0-9-]+`:.*") && !Files.isDirectory(ROOT.resolve(module))) {
                missing.add(module);
            }
        }
        assertThat(missing).as("CONTRIBUTING.md names these files and modules").isEmpty();
    }
}
