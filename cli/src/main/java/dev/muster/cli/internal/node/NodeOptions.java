package dev.muster.cli.internal.node;

import dev.muster.config.ConfigSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Settings of a node that have options of their own, because they often differ from node to node. */
final class NodeOptions {
    @Option(names = "--id", paramLabel = "ID", description = "The node's id in the cluster, as node.id.")
    private @Nullable String id;

    @Option(names = "--mode", paramLabel = "MODE", description = "What the node does, as node.mode.")
    private @Nullable String mode;

    @Option(names = "--host", paramLabel = "HOST", description = "Where it listens for HTTP, as gateway.host.")
    private @Nullable String host;

    @Option(names = "--port", paramLabel = "PORT", description = "The port at which it answers HTTP, as gateway.port.")
    private @Nullable String port;

    /** The options that were given; the values are checked as those of the settings are. */
    List<ConfigSource> sources() {
        List<ConfigSource> sources = new ArrayList<>();
        add(sources, "--id", "node.id", id);
        add(sources, "--mode", "node.mode", mode);
        add(sources, "--host", "gateway.host", host);
        add(sources, "--port", "gateway.port", port);
        return sources;
    }

    private static void add(List<ConfigSource> sources, String option, String key, @Nullable String value) {
        if (value != null) {
            sources.add(ConfigSource.of(option, Map.of(key, value)));
        }
    }
}
