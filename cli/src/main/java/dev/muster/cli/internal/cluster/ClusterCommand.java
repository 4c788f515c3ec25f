package dev.muster.cli.internal.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about the cluster. */
@Command(
        name = "cluster",
        description = "Show the cluster, and drain nodes.",
        subcommands = {StatusCommand.class, NodesCommand.class, LeadersCommand.class, DrainCommand.class})
public final class ClusterCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which one? status, nodes, leaders or drain");
    }
}
