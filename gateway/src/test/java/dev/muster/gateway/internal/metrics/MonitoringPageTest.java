package dev.muster.gateway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/monitoring.md lists the metrics that there are. */
class MonitoringPageTest {
    private static final int COLUMNS = 5;

    /** What the first four columns of the table must say: name, type, labels, meaning. The fifth is for advice. */
    private static List<String> expected(Metric metric) {
        String labels = metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
        Metric.Type type = metric.type() == Metric.Type.INFO ? Metric.Type.GAUGE : metric.type();
        return List.of(
                "`" + metric.text() + "`",
                type.name().toLowerCase(Locale.ROOT),
                labels,
                metric.help().substring(0, metric.help().length() - 1));
    }

    @Test
    void theTablesOfThePageAreTheListOfMetrics() throws IOException {
        List<List<String>> rows = Files.readAllLines(Path.of("../docs/monitoring.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> Arrays.stream(line.substring(1).split("\\|"))
                        .map(String::strip)
                        .toList())
                .filter(cells -> cells.size() == COLUMNS)
                .map(cells -> cells.subList(0, COLUMNS - 1))
                .toList();

        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Metric.values())
                        .map(MonitoringPageTest::expected)
                        .toList());
    }

    @Test
    void namesFollowTheRulesOfPrometheus() {
        assertThat(Metric.values()).allSatisfy(metric -> {
            assertThat(metric.text()).matches("(muster|jvm|process)_[a-z_]+[a-z]");
            assertThat(metric.text().endsWith("_total"))
                    .as(metric.text())
                    .isEqualTo(metric.type() == Metric.Type.COUNTER);
            assertThat(metric.text().endsWith("_info")).as(metric.text()).isEqualTo(metric.type() == Metric.Type.INFO);
            assertThat(metric.type() != Metric.Type.HISTOGRAM || metric.text().endsWith("_seconds"))
                    .as(metric.text())
                    .isTrue();
            assertThat(metric.help()).as(metric.text()).endsWith(".").doesNotContain("|");
            assertThat(metric.labels()).as(metric.text()).doesNotHaveDuplicates();
        });
    }
}
