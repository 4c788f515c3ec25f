package dev.muster.gateway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard and the alerts of docs/monitoring use metrics and labels that there are. */
class MonitoringFilesTest {
    private static final Path FILES = Path.of("../docs/monitoring");
    private static final String CLUSTER = "cluster";
    private static final Pattern METRIC = Pattern.compile("\\b(muster|jvm|process)_[a-z_]+");
    private static final Pattern SELECTOR = Pattern.compile("\\b((?:muster|jvm|process)_[a-z_]+)\\{([^}]*)}");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)\\s*(?:=~|=|!=|!~)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern SHOWN = Pattern.compile("\\$labels\\.([a-z_]+)|\\{\\{\\s*([a-z_]+)\\s*}}");
    private static final Pattern ALERT = Pattern.compile("(?m)^ +- alert: (\\w+)$");

    /** The prometheus server and histograms add these, and people who have several clusters the last one. */
    private static final Set<String> LABELS_OF_ALL = Set.of("le", "instance", "job", CLUSTER);

    private static String alerts() throws IOException {
        return Files.readString(FILES.resolve("alerts.yml"));
    }

    private static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(FILES.resolve("grafana.json")));
    }

    private static Stream<String> alertExpressions() throws IOException {
        return alerts().lines()
                .map(String::strip)
                .filter(line -> line.startsWith("expr: "))
                .map(line -> line.substring(6));
    }

    private static List<String> expressions() throws IOException {
        Stream<String> ofAlerts = alertExpressions();
        Stream<String> ofPanels = dashboard()
                .get("panels")
                .valueStream()
                .flatMap(panel -> panel.get("targets").valueStream())
                .map(target -> target.get("expr").asString());
        Stream<String> ofVariables = dashboard()
                .get("templating")
                .get("list")
                .valueStream()
                .map(variable -> variable.get("query").asString())
                .filter(query -> query.startsWith("label_values"));
        return Stream.of(ofAlerts, ofPanels, ofVariables).flatMap(all -> all).toList();
    }

    private static Optional<Metric> metric(String name) {
        return Arrays.stream(Metric.values())
                .filter(metric -> metric.type() == Metric.Type.HISTOGRAM
                        ? Set.of("_bucket", "_sum", "_count").stream()
                                .anyMatch(suffix -> name.equals(metric.text() + suffix))
                        : name.equals(metric.text()))
                .findFirst();
    }

    private static Set<String> labelsOf(String expression) {
        Set<String> labels = METRIC.matcher(expression)
                .results()
                .flatMap(found -> metric(found.group()).stream())
                .flatMap(metric -> metric.labels().stream())
                .collect(Collectors.toSet());
        labels.addAll(LABELS_OF_ALL);
        return labels;
    }

    @Test
    void everyExpressionUsesMetricsThatThereAre() throws IOException {
        assertThat(expressions()).hasSizeGreaterThan(30);
        for (String expression : expressions()) {
            List<String> names =
                    METRIC.matcher(expression).results().map(MatchResult::group).toList();
            assertThat(names)
                    .as(expression)
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(metric(name)).as(name).isPresent());
        }
    }

    @Test
    void everyExpressionUsesLabelsOfItsMetrics() throws IOException {
        for (String expression : expressions()) {
            Set<String> known = labelsOf(expression);
            GROUPING.matcher(expression)
                    .results()
                    .flatMap(group -> Arrays.stream(group.group(1).split(",\\s*")))
                    .forEach(label -> assertThat(known).as(expression).contains(label));
            SELECTOR.matcher(expression).results().forEach(selector -> {
                List<String> labels = metric(selector.group(1)).orElseThrow().labels();
                LABEL.matcher(selector.group(2))
                        .results()
                        .filter(label -> !label.group(1).equals(CLUSTER))
                        .forEach(label -> assertThat(labels).as(expression).contains(label.group(1)));
            });
        }
    }

    /** Two clusters that one server scrapes have two leaders, and would page somebody for it. */
    @Test
    void everyExpressionTellsClustersApart() throws IOException {
        for (String expression : alertExpressions().toList()) {
            GROUPING.matcher(expression)
                    .results()
                    .forEach(group -> assertThat(group.group(1)).as(expression).startsWith(CLUSTER));
            assertThat(expression).as("adds up all clusters").doesNotContainPattern("\\b(sum|min|max) ?\\(");
        }
        dashboard()
                .get("panels")
                .valueStream()
                .flatMap(panel -> panel.get("targets").valueStream())
                .map(target -> target.get("expr").asString())
                .forEach(expression -> assertThat(
                                METRIC.matcher(expression).results().count())
                        .as(expression)
                        .isEqualTo(Pattern.compile(Pattern.quote("{cluster=~\"$cluster\""))
                                .matcher(expression)
                                .results()
                                .count()));
    }

    @Test
    void everyExpressionIsInBalance() throws IOException {
        for (String expression : expressions()) {
            for (String pair : List.of("()", "{}", "[]")) {
                assertThat(expression.chars().filter(c -> c == pair.charAt(0)).count())
                        .as(expression)
                        .isEqualTo(expression
                                .chars()
                                .filter(c -> c == pair.charAt(1))
                                .count());
            }
        }
    }

    /** A job that fails with its first attempt on a node makes a counter that begins with 1, which is no increase. */
    @Test
    void theFirstDeadLetterOfACounterCounts() throws IOException {
        assertThat(alertExpressions().filter(expression -> expression.contains("outcome=\"failed\"")))
                .hasSize(1)
                .allMatch(expression -> expression.contains(" unless max_over_time("));
    }

    /** A value that no metric has would make an alert that never fires. */
    @Test
    void everyValueOfALabelIsOneThatThePageLists() throws IOException {
        String page = Files.readString(Path.of("../docs/monitoring.md"));
        String labels = page.substring(page.indexOf("## Labels"));
        for (String expression : expressions()) {
            LABEL.matcher(expression)
                    .results()
                    .filter(label -> !label.group(2).startsWith("$"))
                    .forEach(label -> assertThat(labels)
                            .as(expression)
                            .containsPattern("\\| " + label.group(1) + "\\b[^\\n]*\\b" + label.group(2) + "\\b"));
        }
    }

    @Test
    void everyTextShowsLabelsThatItsExpressionHas() throws IOException {
        dashboard()
                .get("panels")
                .valueStream()
                .flatMap(panel -> panel.get("targets").valueStream())
                .forEach(target -> assertShown(
                        target.get("legendFormat").asString(),
                        target.get("expr").asString()));
        String expression = "";
        for (String line : alerts().lines().map(String::strip).toList()) {
            if (line.startsWith("expr: ")) {
                expression = line;
            } else if (line.startsWith("summary: ")) {
                assertShown(line, expression);
            }
        }
    }

    /** What a set operation compares with has no labels in the result. */
    private static void assertShown(String text, String whole) {
        String expression = whole.split(" (and|unless) on ")[0];
        Set<String> grouped = GROUPING.matcher(expression)
                .results()
                .flatMap(group -> Arrays.stream(group.group(1).split(",\\s*")))
                .collect(Collectors.toSet());
        Set<String> has = grouped.isEmpty() ? labelsOf(expression) : grouped;
        SHOWN.matcher(text)
                .results()
                .map(shown -> shown.group(1) == null ? shown.group(2) : shown.group(1))
                .forEach(label -> assertThat(has).as(text + " of " + expression).contains(label));
    }

    @Test
    void theDocumentationSaysWhatToDoAboutEveryAlert() throws IOException {
        List<String> names =
                ALERT.matcher(alerts()).results().map(found -> found.group(1)).toList();
        List<String> explained = Files.readAllLines(Path.of("../docs/observability.md")).stream()
                .filter(line -> line.startsWith("| Muster"))
                .map(line -> line.split("\\|")[1].strip())
                .toList();

        assertThat(names).isNotEmpty().doesNotHaveDuplicates();
        assertThat(explained).containsExactlyElementsOf(names);
    }

    @Test
    void everyPanelHasATitleADescriptionAndAnIdOfItsOwn() throws IOException {
        List<JsonNode> panels = dashboard().get("panels").valueStream().toList();

        assertThat(panels).extracting(panel -> panel.get("id").asInt()).doesNotHaveDuplicates();
        assertThat(panels).allSatisfy(panel -> {
            assertThat(panel.get("title").asString()).isNotBlank();
            assertThat(panel.get("description").asString()).isNotBlank();
        });
    }
}
