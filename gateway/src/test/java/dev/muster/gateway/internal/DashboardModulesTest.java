package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The modules of the dashboard import what exists, and never in a circle: a module can be read before those that use it. */
class DashboardModulesTest {
    private static final Path FOLDER = Path.of("src/main/resources/dev/muster/gateway/internal/dashboard");
    /** With imports that are made later, as those of screens are. */
    private static final Pattern IMPORT = Pattern.compile("(?:from|import)\\s*\\(?\\s*'(\\.[^']+)'");

    /** What each module imports, by their paths from the folder. */
    private static final Map<String, Set<String>> imports = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            for (Path file :
                    files.filter(name -> name.toString().endsWith(".js")).toList()) {
                Set<String> imported = new TreeSet<>();
                IMPORT.matcher(Files.readString(file))
                        .results()
                        .forEach(found -> imported.add(path(file.resolveSibling(found.group(1)))));
                imports.put(path(file), imported);
            }
        }
    }

    private static String path(Path file) {
        return FOLDER.relativize(file.normalize()).toString().replace('\\', '/');
    }

    @Test
    void whatIsImportedExists() {
        assertThat(imports).hasSizeGreaterThan(30).containsKeys("app.js", "screens.js", "screens/jobs.js");
        imports.forEach((module, imported) ->
                assertThat(imports.keySet()).as("imports of " + module).containsAll(imported));
    }

    @Test
    void thereIsNoCircle() {
        Set<String> done = new TreeSet<>();
        List<String> circles = new ArrayList<>();
        imports.keySet().forEach(module -> follow(module, new ArrayList<>(), done, circles));
        assertThat(circles).isEmpty();
    }

    private static void follow(String module, List<String> way, Set<String> done, List<String> circles) {
        if (way.contains(module)) {
            circles.add(String.join(" → ", way.subList(way.indexOf(module), way.size())) + " → " + module);
        } else if (!done.contains(module)) {
            way.add(module);
            imports.getOrDefault(module, Set.of()).forEach(imported -> follow(imported, way, done, circles));
            way.remove(way.size() - 1);
            done.add(module);
        }
    }

    /** Only what starts the page knows the list of screens; everything else links to them. */
    @Test
    void screensDoNotKnowWhereTheyAre() {
        imports.forEach((module, imported) -> {
            if (module.contains("/")) {
                assertThat(imported).as("imports of " + module).doesNotContain("router.js", "screens.js", "app.js");
            }
        });
    }
}
