package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.json.jackson3.Jackson3Codec;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code bench}. */
@Command(
        name = "muster bench",
        description = "Measures Muster against plain SQL, and against other schedulers, on a PostgreSQL of its own.",
        sortOptions = false,
        usageHelpWidth = 110)
public final class Main implements Callable<Integer> {
    private static final String ALL = "all";
    private static final Set<String> NAMES =
            new LinkedHashSet<>(List.of("floor", "own_sql", "muster", "db_scheduler", "dbos", "jobrunr", "quartz"));

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
            split = ",",
            description = "What to measure, repeatable; 'all' for everything. Default: process and enqueue.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--peers",
            description = "Measure db-scheduler, JobRunr and Quartz too, and DBOS in the scenario 'workflows'.")
    private boolean peers;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description = "Measure only these: floor, own_sql, muster, db_scheduler, dbos, jobrunr, quartz.")
    private List<String> only = List.of();

    @Option(
            names = "--quick",
            description = "Small numbers, to see everything within minutes. Its figures are not worth publishing.")
    private boolean quick;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "Jobs of a backlog: 200000, with --quick 20000. Slow peers get a part of them.")
    private @Nullable Integer jobs;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds after the warm-up: 5, with --quick 2. Long scenarios take turns within themselves.")
    private @Nullable Integer rounds;

    @Option(
            names = "--charts",
            paramLabel = "DIR",
            description = "Draw what was measured, as SVG files in this folder.")
    private @Nullable Path charts;

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

    @Spec
    private CommandSpec spec;

    private final PrintStream out;

    private Main(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) {
        System.exit(run(System.out, args));
    }

    static int run(PrintStream out, String... args) {
        CommandLine command = new CommandLine(new Main(out)).setCaseInsensitiveEnumValuesAllowed(true);
        command.setOut(new java.io.PrintWriter(out, true));
        command.setParameterExceptionHandler((wrong, given) -> {
            System.err.println("muster bench: " + wrong.getMessage());
            System.err.println("'muster bench --help' tells more");
            return CommandLine.ExitCode.USAGE;
        });
        command.getCommandSpec().usageMessage().footer(footer());
        return command.execute(args);
    }

    private static String[] footer() {
        List<String> lines = new ArrayList<>(List.of("", "Scenarios, and how long they take on two cores:"));
        lines.addAll(Arrays.asList(ScenarioName.help()));
        lines.addAll(List.of(
                "",
                "Only ratios within one run count: machines are noisy. Figures go to stdout, progress to stderr.",
                "Exit codes: 0 done, 1 some scenario failed (the others' figures are printed), 2 bad usage."));
        return lines.toArray(String[]::new);
    }

    @Override
    public Integer call() throws Exception {
        List<ScenarioName> wanted = wanted();
        Plan plan = plan();
        List<String> peerNames = peerNames();
        requireWritable(charts);
        Progress progress = Progress.ofProcess();
        try (EmbeddedPostgres server = durableServer();
                Peers others = new Peers(peerNames)) {
            List<Contender> contenders = contenders(others);
            Results results = new Runner(new Stage(server, plan, progress))
                    .run(wanted.stream().map(w -> w.scenario(plan)).toList(), contenders);
            Report report = new Report(results, settings(plan, contenders));
            out.println(output == Output.JSON ? new Jackson3Codec().write(report.document()) : report.table());
            if (charts != null) {
                new Charts(results, plan).draw(charts).forEach(file -> progress.done("wrote " + file));
            }
            return results.failures().isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        }
    }

    /** An hour of measuring is not to end in a folder that cannot be written. */
    private void requireWritable(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw usage("--charts " + folder + " cannot be made: " + e);
        }
        if (!Files.isWritable(folder)) {
            throw usage("--charts " + folder + " cannot be written");
        }
    }

    private List<ScenarioName> wanted() {
        if (scenarios.isEmpty()) {
            return quick ? List.of(ScenarioName.values()) : ScenarioName.DEFAULT;
        }
        Set<ScenarioName> wanted = new LinkedHashSet<>();
        for (String name : scenarios) {
            if (name.equalsIgnoreCase(ALL)) {
                wanted.addAll(List.of(ScenarioName.values()));
            } else {
                wanted.add(ScenarioName.named(name)
                        .orElseThrow(() -> usage("there is no scenario '" + name + "'; known are "
                                + ScenarioName.names() + ", and " + ALL)));
            }
        }
        return List.copyOf(wanted);
    }

    private Plan plan() {
        Plan plan = quick ? Plan.quick() : Plan.full();
        if (jobs != null) {
            plan = plan.withJobs(atLeastOne("--jobs", jobs));
        }
        return rounds == null ? plan : plan.withRounds(atLeastOne("--rounds", rounds));
    }

    private int atLeastOne(String option, int value) {
        if (value < 1) {
            throw usage(option + " must be at least 1, not " + value);
        }
        return value;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private List<String> peerNames() {
        only.stream().filter(name -> !NAMES.contains(name)).findFirst().ifPresent(name -> {
            throw usage("there is no contender '" + name + "'; known are " + String.join(", ", NAMES));
        });
        return only;
    }

    private List<Contender> contenders(Peers others) {
        List<Contender> contenders =
                new ArrayList<>(List.of(new FloorContender(), new OwnSqlContender(), new MusterContender()));
        if (peers || !only.isEmpty()) {
            contenders.addAll(others.contenders());
        }
        contenders.removeIf(c -> !only.isEmpty() && !only.contains(c.name()));
        return contenders;
    }

    private static Map<String, Object> settings(Plan plan, List<Contender> contenders) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("jobs", plan.jobs());
        settings.put("rounds", plan.rounds());
        settings.put("processors", Runtime.getRuntime().availableProcessors());
        settings.put("java", Runtime.version().toString());
        Map<String, Object> about = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            about.put(contender.name(), settings(plan, contender));
        }
        settings.put("contenders", about);
        return settings;
    }

    private static Map<String, Object> settings(Plan plan, Contender contender) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("about", contender.about());
        if (contender.kind() != Contender.Kind.WORKFLOW_PEER) {
            settings.put("jobs", Stage.jobs(plan.jobs(), contender));
        }
        if (WorkflowsScenario.runsWorkflows(contender)) {
            settings.put("runs", WorkflowsScenario.runs(plan, contender));
        }
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
