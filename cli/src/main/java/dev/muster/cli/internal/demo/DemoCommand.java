package dev.muster.cli.internal.demo;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Terminal;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows that jobs and workflows survive the death of a node. */
@Command(
        name = "demo",
        description = {
            "Show that jobs and workflows survive the death of a node, on a temporary PostgreSQL.",
            "Starts node processes, enqueues jobs, starts a checkout workflow for every 20 jobs, kills a worker and then the"
                    + " leader with kill -9, and checks the outcome of every job and the effects of every workflow."
        },
        footer = {
            "",
            "Exit codes: 0 no job was lost, none ended twice, and every workflow's effects are there exactly once;",
            "1 otherwise, 2 bad usage."
        })
public final class DemoCommand implements Callable<Integer> {
    private static final int MAX_NODES = 16;
    private static final int MAX_JOBS = 100_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many node processes. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "2000",
            description = "How many jobs. Default: ${DEFAULT-VALUE}.")
    private int jobs;

    @Option(names = "--no-kill", description = "Kill nothing.")
    private boolean noKill;

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "Port of the dashboard. Default: 8080, or any free port if that is taken.")
    private @Nullable Integer port;

    @Option(names = "--keep", description = "Keep the database and the nodes running afterwards, until Ctrl-C.")
    private boolean keep;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() throws InterruptedException {
        int fewest = noKill ? 1 : 2;
        if (nodes < fewest || nodes > MAX_NODES) {
            throw CommandFailed.badInput("--nodes must be " + fewest + " to " + MAX_NODES + ", not " + nodes
                    + (nodes == 1 ? "; one node alone needs --no-kill" : ""));
        }
        if (jobs < 1 || jobs > MAX_JOBS) {
            throw CommandFailed.badInput("--jobs must be 1 to " + MAX_JOBS + ", not " + jobs);
        }
        try (DemoCluster cluster = new DemoCluster(
                spec.root().userObject().getClass(),
                new Terminal(spec.commandLine().getErr()))) {
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "demo-stop"));
            return run(cluster);
        }
    }

    private int run(DemoCluster cluster) throws InterruptedException {
        Terminal terminal = cluster.terminal();
        try {
            cluster.start(nodes, port);
            Summary summary = summary(cluster);
            output.print(summary::json, summary::text);
            if (keep) {
                terminal.line("Database, nodes and dashboard keep running until Ctrl-C:");
                terminal.line("  " + cluster.dashboard());
                terminal.line("  export MUSTER_DATABASE_URL='" + cluster.url() + "'");
                new CountDownLatch(1).await();
            }
            return summary.good() ? ExitCode.DONE : ExitCode.FAILED;
        } catch (RuntimeException e) {
            if (cluster.isClosed()) {
                // Ctrl-C has stopped the database; the process is ending.
                new CountDownLatch(1).await();
            }
            throw e;
        } finally {
            terminal.clear();
        }
    }

    private Summary summary(DemoCluster cluster) throws InterruptedException {
        try (Show show = new Show(cluster, jobs, !noKill)) {
            return show.run();
        }
    }
}
