package dev.muster.gateway.internal.metrics;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A page of metrics, read by the rules of the text format of Prometheus. Whatever breaks them is an {@link IllegalStateException}: a
 * sample before its HELP and TYPE, a sample that occurs twice, a label that is not quoted well, a histogram that does not add up.
 */
public final class ParsedMetrics {
    private final Map<String, String> types = new LinkedHashMap<>();
    private final Map<String, String> helps = new LinkedHashMap<>();
    private final Map<Series, Double> samples = new LinkedHashMap<>();

    /** A sample without its value. */
    public record Series(String name, Map<String, String> labels) {
        public Series {
            labels = new TreeMap<>(labels);
        }

        /** @param labels names and values by turns */
        public static Series of(String name, String... labels) {
            Map<String, String> all = new TreeMap<>();
            for (int i = 0; i < labels.length; i += 2) {
                all.put(labels[i], labels[i + 1]);
            }
            return new Series(name, all);
        }

        Series without(String label) {
            Map<String, String> rest = new TreeMap<>(labels);
            rest.remove(label);
            return new Series(name, rest);
        }
    }

    public static ParsedMetrics of(String text) {
        ParsedMetrics parsed = new ParsedMetrics();
        check(text.endsWith("\n"), "the last line must end");
        for (String line : text.split("\n")) {
            if (line.startsWith("# HELP ")) {
                put(parsed.helps, line.substring(7));
            } else if (line.startsWith("# TYPE ")) {
                put(parsed.types, line.substring(7));
            } else {
                parsed.sample(line);
            }
        }
        parsed.checkHistograms();
        return parsed;
    }

    private static void put(Map<String, String> to, String nameAndRest) {
        int space = nameAndRest.indexOf(' ');
        String name = nameAndRest.substring(0, space);
        check(to.put(name, nameAndRest.substring(space + 1)) == null, name + " is described twice");
    }

    private static void check(boolean ok, String otherwise) {
        if (!ok) {
            throw new IllegalStateException(otherwise);
        }
    }

    private void sample(String line) {
        int end = 0;
        while (end < line.length() && (Character.isLetterOrDigit(line.charAt(end)) || line.charAt(end) == '_')) {
            end++;
        }
        String name = line.substring(0, end);
        Map<String, String> labels = new TreeMap<>();
        int at = end;
        if (line.charAt(at) == '{') {
            at++;
            while (line.charAt(at) != '}') {
                at = label(line, at, labels);
            }
            at++;
        }
        check(line.charAt(at) == ' ', "no space before the value: " + line);
        String value = line.substring(at + 1);
        double number = value.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(value);
        check(
                types.containsKey(family(name)) && helps.containsKey(family(name)),
                name + " has no HELP or TYPE before it");
        check(samples.put(new Series(name, labels), number) == null, line + " occurs twice");
    }

    /** @return the index after the label and its comma */
    private static int label(String line, int from, Map<String, String> to) {
        int equals = line.indexOf("=\"", from);
        check(equals > 0, "no label where one should be: " + line);
        StringBuilder value = new StringBuilder();
        int at = equals + 2;
        while (line.charAt(at) != '"') {
            char c = line.charAt(at);
            if (c == '\\') {
                at++;
                char escaped = line.charAt(at);
                check("\\\"n".indexOf(escaped) >= 0, "unknown escape: " + line);
                c = escaped == 'n' ? '\n' : escaped;
            }
            value.append(c);
            at++;
        }
        check(to.put(line.substring(from, equals), value.toString()) == null, "label given twice: " + line);
        at++;
        return line.charAt(at) == ',' ? at + 1 : at;
    }

    private String family(String name) {
        for (String suffix : List.of("_bucket", "_sum", "_count")) {
            if (name.endsWith(suffix)) {
                String stem = name.substring(0, name.length() - suffix.length());
                if ("histogram".equals(types.get(stem))) {
                    return stem;
                }
            }
        }
        return name;
    }

    private void checkHistograms() {
        Map<Series, List<Double>> buckets = new LinkedHashMap<>();
        samples.forEach((series, value) -> {
            if (series.name().endsWith("_bucket")) {
                buckets.computeIfAbsent(series.without("le"), key -> new ArrayList<>())
                        .add(value);
            }
        });
        buckets.forEach((series, counts) -> {
            for (int i = 1; i < counts.size(); i++) {
                check(counts.get(i) >= counts.get(i - 1), "the buckets are not cumulative: " + series);
            }
            String stem = series.name().substring(0, series.name().length() - "_bucket".length());
            Map<String, String> infinite = new TreeMap<>(series.labels());
            infinite.put("le", "+Inf");
            check(
                    counts.get(counts.size() - 1).equals(samples.get(new Series(series.name(), infinite)))
                            && counts.get(counts.size() - 1)
                                    .equals(samples.get(new Series(stem + "_count", series.labels()))),
                    "the last bucket is not the count: " + series);
        });
    }

    /** The value of a sample; labels are names and values by turns. */
    public double value(String name, String... labels) {
        Series series = Series.of(name, labels);
        Double value = samples.get(series);
        check(value != null, "there is no " + series);
        return value;
    }

    public boolean has(String name) {
        return samples.keySet().stream().anyMatch(series -> series.name().equals(name));
    }

    public Map<Series, Double> samples() {
        return samples;
    }

    /** The families with their types, in the order of the text. */
    public Map<String, String> types() {
        return types;
    }

    public Map<String, String> helps() {
        return helps;
    }

    /** The names of the labels of a family, without those that the format itself adds. */
    public List<String> labels(String family) {
        return samples.keySet().stream()
                .filter(series -> family(series.name()).equals(family))
                .findFirst()
                .map(series -> series.without("le").labels().keySet().stream().toList())
                .orElseThrow();
    }

    /** What has grown since the other page, or is new and not 0. */
    public Map<Series, Double> since(ParsedMetrics before) {
        Map<Series, Double> changed = new LinkedHashMap<>();
        samples.forEach((series, value) -> {
            double difference = value - before.samples.getOrDefault(series, 0.0);
            if (difference != 0 && !series.name().endsWith("_bucket")) {
                changed.put(series, difference);
            }
        });
        return changed;
    }
}
