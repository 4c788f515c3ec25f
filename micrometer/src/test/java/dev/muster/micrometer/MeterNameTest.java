package dev.muster.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of meters is that of docs/observability.md, and agrees with the page of the gateway. */
class MeterNameTest {
    private static final int COLUMNS = 5;

    /** On the page of the gateway only: it belongs to the JVM, to HTTP, or Micrometer cannot name it. */
    private static final Pattern NOT_HERE = Pattern.compile(
            "muster_build_info|muster_process_cpu_load|(jvm|process)_.*|muster_http_.*|muster_event_clients");

    /** The rows of the tables of a page that have five columns and begin with a name. */
    private static List<List<String>> rows(String page) throws IOException {
        return Files.readAllLines(Path.of("../docs", page)).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> Arrays.stream(line.substring(1).split("\\|"))
                        .map(String::strip)
                        .toList())
                .filter(cells -> cells.size() == COLUMNS)
                .toList();
    }

    private static String tags(MeterName meter) {
        return meter.tags().stream().map(tag -> "`" + tag + "`").collect(Collectors.joining(", "));
    }

    static String inPrometheus(MeterName meter) {
        String name = meter.text().replace('.', '_');
        return switch (meter.type()) {
            case COUNTER -> name + "_total";
            case TIMER -> name + "_seconds";
            case GAUGE -> meter == MeterName.QUEUE_OLDEST_DUE ? name + "_seconds" : name;
        };
    }

    @Test
    void theTableOfThePageIsTheListOfMeters() throws IOException {
        assertThat(rows("observability.md"))
                .extracting(cells -> cells.subList(0, COLUMNS - 1))
                .containsExactlyElementsOf(Arrays.stream(MeterName.values())
                        .map(meter -> List.of(
                                "`" + meter.text() + "`",
                                meter.type().name().toLowerCase(Locale.ROOT),
                                tags(meter),
                                meter.description()))
                        .toList());
    }

    /** Name, labels, meaning and the advice are the same, so that dashboards and alerts serve both. */
    @Test
    void thePageOfTheGatewayHasTheSameMetrics() throws IOException {
        List<List<String>> ofGateway = rows("monitoring.md").stream()
                .filter(cells ->
                        !NOT_HERE.matcher(cells.get(0).replace("`", "")).matches())
                .map(cells -> List.of(cells.get(0), cells.get(2), cells.get(3), cells.get(4)))
                .toList();
        List<List<String>> advised = rows("observability.md");

        assertThat(Arrays.stream(MeterName.values())
                        .map(meter -> List.of(
                                "`" + inPrometheus(meter) + "`",
                                tags(meter),
                                meter.description(),
                                advised.get(meter.ordinal()).get(COLUMNS - 1)))
                        .toList())
                .containsExactlyInAnyOrderElementsOf(ofGateway);
    }

    @Test
    void theDashboardAndTheAlertsUseOnlyMetricsThatAreHere() throws IOException {
        Set<String> names = Arrays.stream(MeterName.values())
                .flatMap(meter -> meter.type() == MeterName.Type.TIMER
                        ? Stream.of("_bucket", "_sum", "_count").map(suffix -> inPrometheus(meter) + suffix)
                        : Stream.of(inPrometheus(meter)))
                .collect(Collectors.toSet());
        for (String file : List.of("grafana.json", "alerts.yml")) {
            String text = Files.readString(Path.of("../docs/monitoring", file));
            List<String> used = Pattern.compile("\\b(muster|jvm|process)_[a-z_]+")
                    .matcher(text)
                    .results()
                    .map(MatchResult::group)
                    .toList();
            assertThat(used)
                    .as(file)
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(names).contains(name));
        }
    }
}
