package dev.muster.cli.internal.node;

import dev.muster.MusterApp;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.database.Connections;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.examples.ExampleApp;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs one node with its own database, for trying things out. */
@Command(
        name = "dev",
        description = "Run one node with its own PostgreSQL, and the example application unless --app is given.")
public final class DevCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private AppOptions options;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = ".muster/data",
            description = "Folder that keeps the database between runs. Default: .muster/data.")
    private Path data;

    @Option(
            names = "--port",
            paramLabel = "P",
            description = "HTTP port of the node. Default: 8080, or any free port if that is taken.")
    private @Nullable Integer port;

    @Mixin
    private SettingsOptions settings;

    @Override
    public Integer call() {
        if (settings.namesDatabase()) {
            throw CommandFailed.badInput("dev starts its own database; for another one use 'muster node --url …'");
        }
        MusterConfig given = settings.load();
        List<MusterApp> apps = options.loadOrExample();
        EmbeddedPostgres server =
                EmbeddedPostgres.builder().dataDirectory(data).durable(true).start();
        MusterConfig config = withoutLogin(given)
                .with(Map.of(
                        "database.url", server.jdbcUrl(),
                        "database.username", "postgres",
                        "database.password", server.password()));
        RunningNode node = RunningNode.start(
                port == null ? config : config.with("gateway.port", port.toString()),
                new Connections(config.database()),
                apps,
                server::close);
        explain(server.jdbcUrl(), node.address(), apps);
        return node.untilDrained();
    }

    /** Whoever tries things out on one machine needs no key, unless the settings ask for one. */
    private static MusterConfig withoutLogin(MusterConfig given) {
        boolean asked = given.entries().stream()
                .anyMatch(entry ->
                        entry.key().equals("gateway.auth") && !entry.source().equals("default"));
        return asked || !given.gateway().isLoopback() ? given : given.with("gateway.auth", "none");
    }

    private void explain(String url, String address, List<MusterApp> apps) {
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.println("Ready. The dashboard is at " + address + "/");
        out.println("In another terminal:");
        out.println("  export MUSTER_DATABASE_URL='" + url + "'");
        boolean example = apps.stream().anyMatch(ExampleApp.class::isInstance);
        out.println(
                example
                        ? "  muster jobs enqueue hello --args '{\"name\":\"world\"}' --wait"
                        : "  muster jobs enqueue NAME --args JSON --wait    # NAME: a job of your application");
        out.println("  muster jobs list");
        out.println("  curl " + address + "/_api/jobs");
        out.println("The data is kept in " + data + ". Ctrl-C stops the node and the database.");
        out.flush();
    }
}
