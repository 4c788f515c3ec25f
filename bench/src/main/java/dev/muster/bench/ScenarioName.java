package dev.muster.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The scenarios that can be measured. */
enum ScenarioName {
    PROCESS("4 min, 9 with peers", "throughput of no-op jobs from a backlog", plan -> new ProcessScenario()),
    ENQUEUE("4 min, 7 with peers", "enqueue rate, in chunks of 1,000 and one by one", plan -> new EnqueueScenario()),
    SUSTAINED("4 min, 8 with peers", "throughput while jobs are being enqueued", plan -> new SustainedScenario()),
    WORKFLOWS(
            "6 min, 8 with peers",
            "throughput of workflow runs with five steps, beside plain jobs",
            plan -> new WorkflowsScenario()),
    LIMITS(
            "3 min",
            "throughput of a queue with a limit and of jobs with a fair key, beside plain jobs",
            plan -> new LimitsScenario()),
    TRACES(
            "6 min",
            "enqueue rate and throughput with traces, sampled out and written, beside plain jobs",
            plan -> new TracesScenario()),
    EXECUTORS(
            "5 min",
            "throughput beside an executor with slow jobs; idle cost of five executors",
            plan -> new ExecutorsScenario()),
    GATEWAY("3 min", "requests to a query through the gateway, beside bare Javalin", plan -> new GatewayScenario()),
    LATENCY("8 min", "from commit to start on another node, idle and at half load", plan -> new LatencyScenario()),
    HORIZON("15 min, 25 with peers", "what an open transaction costs", plan -> new HorizonScenario()),
    BACKLOG("6 min", "what a claim costs with 1 k, 1 M and 10 M jobs pending; 8 GB of disk", BacklogScenario::new),
    NODES("30 min", "throughput of 1, 2 and 4 processes; sleeping jobs on 1, 3 and 10", NodesScenario::new),
    IDLE("2 min", "statements of a node that has nothing to do", plan -> new IdleScenario()),
    MEMORY("1 min", "memory of a node with -Xmx64m at 1,000 jobs/s", plan -> new MemoryScenario()),
    STARTUP("1 min", "from the start of a process to its first job", plan -> new StartupScenario());

    /** The scenarios that are measured if none is named. */
    static final List<ScenarioName> DEFAULT = List.of(PROCESS, ENQUEUE);

    private final String takes;
    private final String about;
    private final Function<Plan, Scenario> make;

    ScenarioName(String takes, String about, Function<Plan, Scenario> make) {
        this.takes = takes;
        this.about = about;
        this.make = make;
    }

    Scenario scenario(Plan plan) {
        return make.apply(plan);
    }

    static Optional<ScenarioName> named(String name) {
        return Arrays.stream(values())
                .filter(what -> what.toString().equalsIgnoreCase(name))
                .findFirst();
    }

    static String names() {
        return Arrays.stream(values()).map(ScenarioName::toString).collect(Collectors.joining(", "));
    }

    /** For the help: each with what it does and how long it takes. */
    static String[] help() {
        return Arrays.stream(values())
                .map(what -> String.format(Locale.ROOT, "  %-10s %s (%s)", what, what.about, what.takes))
                .toArray(String[]::new);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
