package dev.muster;

import dev.muster.access.AccessSubsystem;
import dev.muster.attempt.ArgsSource;
import dev.muster.batch.BatchSubsystem;
import dev.muster.daemon.DaemonSubsystem;
import dev.muster.function.FunctionSubsystem;
import dev.muster.graph.GraphSubsystem;
import dev.muster.line.LineSubsystem;
import dev.muster.node.NodeContext;
import dev.muster.node.Subsystem;
import dev.muster.schedule.CronSubsystem;
import dev.muster.upkeep.UpkeepSubsystem;
import dev.muster.workflow.WorkflowSubsystem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The list of all subsystems: Muster's own, and those that other jars add. */
final class Subsystems {
    private static final List<Subsystem> OWN = List.of(
            new CronSubsystem(),
            new DaemonSubsystem(),
            new WorkflowSubsystem(),
            new GraphSubsystem(),
            new BatchSubsystem(),
            new LineSubsystem(),
            new FunctionSubsystem(),
            new AccessSubsystem(),
            new UpkeepSubsystem());

    private Subsystems() {}

    static List<Subsystem> all() {
        List<Subsystem> all = new ArrayList<>(OWN);
        ServiceLoader.load(Subsystem.class).forEach(all::add);
        return all;
    }

    /** Supplies the args of jobs that a subsystem stores as references. */
    static ArgsSource argsSource(NodeContext node) {
        return ArgsSource.of(all().stream()
                .map(subsystem -> subsystem.argsSource(node))
                .flatMap(Optional::stream)
                .toList());
    }
}
