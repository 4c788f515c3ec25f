package dev.muster.internal.assembly;

import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.admission.AdmissionSubsystem;
import dev.muster.internal.attempt.ArgsSource;
import dev.muster.internal.batch.BatchSubsystem;
import dev.muster.internal.daemon.DaemonSubsystem;
import dev.muster.internal.function.FunctionSubsystem;
import dev.muster.internal.graph.GraphSubsystem;
import dev.muster.internal.maintenance.MaintenanceSubsystem;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.Subsystem;
import dev.muster.internal.schedule.CronSubsystem;
import dev.muster.internal.worker.JobMethods;
import dev.muster.internal.workflow.WorkflowSubsystem;
import dev.muster.job.JobHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** The list of all subsystems: Muster's own, and those that other jars add. */
public final class Subsystems {
    private static final List<Subsystem> OWN = List.of(
            new CronSubsystem(),
            new DaemonSubsystem(),
            new WorkflowSubsystem(),
            new GraphSubsystem(),
            new BatchSubsystem(),
            new AdmissionSubsystem(),
            new FunctionSubsystem(),
            new AccessSubsystem(),
            new MaintenanceSubsystem());

    private Subsystems() {}

    public static List<Subsystem> all() {
        List<Subsystem> all = new ArrayList<>(OWN);
        ServiceLoader.load(Subsystem.class).forEach(all::add);
        return all;
    }

    /**
     * The handlers of all jobs, including those that a subsystem runs its handlers with.
     *
     * @param node the node, which exists once the jobs run
     */
    public static List<JobHandler> jobHandlers(Handlers handlers, Supplier<NodeContext> node) {
        List<JobHandler> all = new ArrayList<>(handlers.of(JobMethods.JOBS));
        for (Subsystem subsystem : all()) {
            all.addAll(subsystem.jobHandlers(handlers, node));
        }
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
