package dev.muster.cli.internal.node;

import dev.muster.MusterApp;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.database.Connections;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.config.MusterConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs one node of a cluster until it is told to stop. */
@Command(
        name = "node",
        description = {
            "Run one node of a cluster until it is told to stop.",
            "SIGTERM, Ctrl-C or 'muster cluster drain' drains it: running jobs may finish, other claims are released."
        })
public final class NodeCommand implements Callable<Integer> {
    @Mixin
    private AppOptions options;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private NodeOptions node;

    @Option(
            names = "--wait-for-database",
            paramLabel = "DURATION",
            defaultValue = "15s",
            converter = Values.OfDuration.class,
            description =
                    "How long it waits at start for a database that cannot be reached (default: ${DEFAULT-VALUE}).")
    private Duration databaseWithin = Duration.ZERO;

    @Option(names = "--stop-with-stdin", hidden = true, description = "End at once when standard input does.")
    private boolean stopWithStdin;

    @Override
    public Integer call() {
        if (options.isEmpty()) {
            throw CommandFailed.badInput("what should the node run? Give --app JAR for your application, or --example");
        }
        if (stopWithStdin) {
            watchStdin();
        }
        MusterConfig config = settings.load(node.sources());
        Connections connections = new Connections(config.database()).await(databaseWithin);
        List<MusterApp> apps = options.load();
        return RunningNode.start(config, connections, apps, () -> {}).untilDrained();
    }

    /** For a node that must not outlive the program that started it, even if that program crashes. */
    private static void watchStdin() {
        Thread watch = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            continue;
                        }
                    } catch (IOException e) {
                        // A broken standard input counts as closed.
                    }
                    Runtime.getRuntime().halt(1);
                },
                "stdin-watch");
        watch.setDaemon(true);
        watch.start();
    }
}
