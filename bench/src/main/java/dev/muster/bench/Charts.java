package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/** Draws what was measured: a picture for each scenario that has something to show. */
final class Charts {
    private static final int WIDTH = 720;
    private static final int LABELS = 190;
    private static final int VALUES = 110;
    private static final int TOP = 34;
    private static final int ROW = 28;
    private static final int BAR = 18;
    private static final int LINES_HEIGHT = 300;
    private static final int LINES_LEFT = 70;
    private static final int LINES_BOTTOM = 40;
    private static final int GRID_LINES = 4;

    private final Results results;
    private final Plan plan;

    Charts(Results results, Plan plan) {
        this.results = results;
        this.plan = plan;
    }

    /** Writes the pictures and returns their files. */
    List<Path> draw(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<Path> files = new ArrayList<>();
        bars(
                files,
                folder.resolve("process.svg"),
                "Throughput from a backlog, jobs/s",
                contenders(ProcessScenario.RATE, ""));
        List<Row> enqueue = new ArrayList<>(contenders(EnqueueScenario.CHUNKS, ", chunks"));
        enqueue.addAll(contenders(EnqueueScenario.SINGLE, ", singles"));
        bars(files, folder.resolve("enqueue.svg"), "Jobs taken in, jobs/s", enqueue);
        bars(
                files,
                folder.resolve("sustained.svg"),
                "Throughput while enqueuing, jobs/s",
                contenders(SustainedScenario.RATE, ""));
        List<Row> workflows = new ArrayList<>(contenders(WorkflowsScenario.RUNS, ""));
        ours(workflows, "muster, 64 threads", WorkflowsScenario.RUNS_64);
        bars(files, folder.resolve("workflows.svg"), "Workflow runs of five steps, runs/s", workflows);
        bars(files, folder.resolve("latency.svg"), "From commit to start on another node, ms", latencies());
        bars(files, folder.resolve("backlog.svg"), "A claim of 100 jobs, ms", backlogs());
        bars(files, folder.resolve("nodes.svg"), "Node processes together, jobs/s", processes());
        bars(files, folder.resolve("sleep.svg"), "Jobs that sleep 100 ms, jobs/s", sleepers());
        lines(files, folder.resolve("horizon.svg"), "With a transaction held open, jobs/s by window");
        return files;
    }

    private record Row(String label, Metric metric, Samples samples, boolean muster) {}

    private List<Row> contenders(Metric metric, String suffix) {
        List<Row> rows = new ArrayList<>();
        for (Contender contender : results.contenders()) {
            results.samples(metric, contender.name())
                    .ifPresent(s -> rows.add(new Row(
                            contender.name().replace('_', ' ') + suffix,
                            metric,
                            s,
                            contender.kind() == Contender.Kind.MUSTER)));
        }
        return rows;
    }

    private void ours(List<Row> rows, String label, Metric metric) {
        results.samples(metric, MusterContender.NAME).ifPresent(s -> rows.add(new Row(label, metric, s, true)));
    }

    private List<Row> latencies() {
        List<Row> rows = new ArrayList<>();
        for (String load : List.of("latency", "latency_half_load")) {
            for (String way : List.of("", "_in_transaction")) {
                for (String percentile : List.of("_p50", "_p99")) {
                    String label = (load.equals("latency") ? "idle" : "half load")
                            + (way.isEmpty() ? "" : ", in transaction")
                            + percentile.replace('_', ' ');
                    ours(rows, label, Metric.millis(load + way + percentile));
                }
            }
        }
        return rows;
    }

    private List<Row> backlogs() {
        List<Row> rows = new ArrayList<>();
        plan.backlogs()
                .forEach(size -> ours(rows, BacklogScenario.word(size) + " pending", BacklogScenario.claim(size)));
        return rows;
    }

    private List<Row> processes() {
        List<Row> rows = new ArrayList<>();
        plan.processes().forEach(n -> ours(rows, n + (n == 1 ? " process" : " processes"), NodesScenario.together(n)));
        return rows;
    }

    private List<Row> sleepers() {
        List<Row> rows = new ArrayList<>();
        plan.sleepers().forEach(n -> ours(rows, n + (n == 1 ? " process" : " processes"), NodesScenario.sleeping(n)));
        return rows;
    }

    /** Medians as bars; a thin line from the least to the greatest. */
    private static void bars(List<Path> files, Path file, String title, List<Row> rows) throws IOException {
        if (rows.isEmpty()) {
            return;
        }
        double most = rows.stream().mapToDouble(r -> r.samples().high()).max().orElse(1);
        double scale = (WIDTH - LABELS - VALUES) / most;
        Svg svg = new Svg(WIDTH, TOP + ROW * rows.size(), title);
        double y = TOP;
        for (Row row : rows) {
            Samples s = row.samples();
            double middle = y + BAR / 2.0;
            svg.text(LABELS - 10, middle + 5, "end", row.label());
            svg.bar(LABELS, y, Math.max(1, s.median() * scale), BAR, row.muster() ? "muster" : "other");
            svg.line(LABELS + s.low() * scale, middle, LABELS + s.high() * scale, middle, "spread");
            svg.text(
                    LABELS + s.high() * scale + 8,
                    middle + 5,
                    "quiet",
                    row.metric().unit().show(s.median()));
            y += ROW;
        }
        files.add(Files.writeString(file, svg.toString()));
    }

    private record Line(String label, Samples samples, String classes) {}

    private void lines(List<Path> files, Path file, String title) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (Contender contender : results.contenders()) {
            String who = contender.kind() == Contender.Kind.MUSTER ? "muster" : "other";
            String label = contender.name().replace('_', ' ');
            results.samples(HorizonScenario.UNPINNED, contender.name())
                    .ifPresent(s -> lines.add(new Line(label, s, "line " + who)));
            results.samples(HorizonScenario.PINNED, contender.name())
                    .ifPresent(s -> lines.add(new Line(label + ", held open", s, "line dashed " + who)));
        }
        if (lines.isEmpty()) {
            return;
        }
        double step = roundUp(
                lines.stream().mapToDouble(l -> l.samples().high()).max().orElse(1) / GRID_LINES);
        double most = step * GRID_LINES;
        int windows =
                lines.stream().mapToInt(l -> l.samples().values().size()).max().orElse(1);
        double width = WIDTH - LINES_LEFT - LABELS;
        double bottom = LINES_HEIGHT - LINES_BOTTOM;
        Svg svg = new Svg(WIDTH, LINES_HEIGHT, title);
        for (int i = 0; i <= GRID_LINES; i++) {
            double y = bottom - (bottom - TOP) * i / GRID_LINES;
            svg.line(LINES_LEFT, y, LINES_LEFT + width, y, i == 0 ? "axis" : "grid");
            svg.text(LINES_LEFT - 8, y + 5, "quiet end", Metric.Unit.JOBS_PER_SECOND.show(step * i));
        }
        for (int i = 0; i < windows; i++) {
            // The first window is not counted, so the numbers begin with the second.
            svg.text(x(width, windows, i), bottom + 20, "quiet middle", Integer.toString(i + 2));
        }
        double lastLabel = Double.NEGATIVE_INFINITY;
        for (Line line : lines.stream().sorted(Charts::highestEndFirst).toList()) {
            List<Double> values = line.samples().values();
            double[] points = new double[values.size() * 2];
            for (int i = 0; i < values.size(); i++) {
                points[2 * i] = x(width, windows, i);
                points[2 * i + 1] = bottom - (bottom - TOP) * values.get(i) / most;
            }
            svg.polyline(points, line.classes());
            lastLabel = Math.max(lastLabel + 17, points[points.length - 1] + 5);
            svg.text(points[points.length - 2] + 10, lastLabel, "", line.label());
        }
        files.add(Files.writeString(file, svg.toString()));
    }

    /** To 1, 2, 2.5 or 5 times a power of ten. */
    private static double roundUp(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1))));
        return power
                * DoubleStream.of(1, 2, 2.5, 5, 10)
                        .filter(f -> f * power >= value)
                        .findFirst()
                        .orElse(10);
    }

    private static double x(double width, int windows, int window) {
        return LINES_LEFT + width * (window + 0.5) / windows;
    }

    private static int highestEndFirst(Line a, Line b) {
        return Double.compare(
                b.samples().values().get(b.samples().values().size() - 1),
                a.samples().values().get(a.samples().values().size() - 1));
    }
}
