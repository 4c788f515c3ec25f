package dev.muster.bench;

import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.json.jackson3.Jackson3Codec;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code bench}. */
@Command(
        name = "bench",
        description = "Measures Muster against plain SQL, and against other schedulers, on a PostgreSQL of its own.",
        footer = "Only ratios within one run count: machines are noisy. Figures go to stdout, progress to stderr.")
public final class Main implements Callable<Integer> {

    private static final int LATENCY_JOBS = 300;

    /** What can be measured. */
    enum What {
        PROCESS,
        ENQUEUE,
        LATENCY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        Scenario scenario(int jobs) {
            return switch (this) {
                case PROCESS -> new ProcessScenario(jobs);
                case ENQUEUE -> new EnqueueScenario(jobs);
                case LATENCY -> new LatencyScenario(Math.min(jobs, LATENCY_JOBS));
            };
        }
    }

    /** How to print. */
    enum Output {
        TABLE,
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            description = "What to measure, repeatable: ${COMPLETION-CANDIDATES}. Default: process and enqueue.")
    private List<What> scenarios = List.of();

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Jobs per measurement: ${DEFAULT-VALUE}.")
    private int jobs;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "Rounds after the warm-up: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--peers", description = "Measure other schedulers too.")
    private boolean peers;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description = "Measure only these: floor, own_sql, muster, db_scheduler.")
    private List<String> only = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Output output;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean help;

    private final PrintStream out;

    private Main(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) {
        System.exit(run(System.out, args));
    }

    static int run(PrintStream out, String... args) {
        return new CommandLine(new Main(out))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args);
    }

    @Override
    public Integer call() throws Exception {
        if (jobs < 1 || rounds < 1) {
            System.err.println("bench: --jobs and --rounds must be at least 1");
            return CommandLine.ExitCode.USAGE;
        }
        try (EmbeddedPostgres server = durableServer()) {
            List<What> wanted = scenarios.isEmpty() ? List.of(What.PROCESS, What.ENQUEUE) : scenarios;
            Results results = new Runner(server, Progress.ofProcess())
                    .run(wanted.stream().map(w -> w.scenario(jobs)).toList(), contenders(), rounds);
            Report report = new Report(results, settings());
            out.println(output == Output.JSON ? new Jackson3Codec().write(report.document()) : report.table());
        }
        return CommandLine.ExitCode.OK;
    }

    private List<Contender> contenders() {
        List<Contender> contenders =
                new ArrayList<>(List.of(new FloorContender(), new OwnSqlContender(), new MusterContender()));
        if (peers || only.contains(DbSchedulerContender.NAME)) {
            contenders.add(new DbSchedulerContender());
        }
        contenders.removeIf(c -> !only.isEmpty() && !only.contains(c.name()));
        return contenders;
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("jobs", jobs);
        settings.put("rounds", rounds);
        settings.put("processors", Runtime.getRuntime().availableProcessors());
        settings.put("java", Runtime.version().toString());
        return settings;
    }

    private static EmbeddedPostgres durableServer() {
        return EmbeddedPostgres.builder()
                .durable(true)
                .setting("fsync", "on")
                .setting("synchronous_commit", "on")
                .setting("full_page_writes", "on")
                .setting("shared_buffers", "1GB")
                .setting("max_wal_size", "8GB")
                // Each measurement begins with a checkpoint; none shall come by itself in the middle of one.
                .setting("checkpoint_timeout", "1h")
                .start();
    }
}
