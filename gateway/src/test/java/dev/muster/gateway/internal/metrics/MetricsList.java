package dev.muster.gateway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The list of metrics, for tests of other packages. */
public final class MetricsList {
    private MetricsList() {}

    public static Set<String> names() {
        return Arrays.stream(Metric.values()).map(Metric::text).collect(Collectors.toSet());
    }

    /** Each metric has the type, the help and the labels of the list. */
    public static void check(ParsedMetrics parsed) {
        for (Metric metric : Metric.values()) {
            Metric.Type type = metric.type() == Metric.Type.INFO ? Metric.Type.GAUGE : metric.type();
            assertThat(parsed.types().get(metric.text()))
                    .as(metric.text())
                    .isEqualTo(type.name().toLowerCase(Locale.ROOT));
            assertThat(parsed.helps().get(metric.text())).as(metric.text()).isEqualTo(metric.help());
            assertThat(parsed.labels(metric.text()))
                    .as(metric.text())
                    .containsExactlyInAnyOrderElementsOf(metric.labels());
        }
    }
}
