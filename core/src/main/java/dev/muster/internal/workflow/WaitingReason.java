package dev.muster.internal.workflow;

import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Why a run is waiting, in a sentence without its subject: "waits for event 'approved'". */
public final class WaitingReason {
    /** A run that is to wait for neither an event nor a time is due after this. */
    private static final Instant FAR_FUTURE = Instant.parse("9998-01-01T00:00:00Z");

    private static final String CHILD_EVENT = "muster:child:";

    private final RunInfo run;
    private final List<StepInfo> steps;

    private WaitingReason(RunInfo run, List<StepInfo> steps) {
        this.run = run;
        this.steps = steps;
    }

    /**
     * Empty if the run has ended or a node runs it.
     *
     * @param now the time by which runs are due; asked only if it matters
     */
    public static Optional<String> of(
            Workflows workflows, Jobs jobs, Supplier<Instant> now, RunInfo run, List<StepInfo> steps) {
        if (run.status().isTerminal() || run.node().isPresent()) {
            return Optional.empty();
        }
        String reason = new WaitingReason(run, steps).find(workflows, jobs, now);
        return Optional.of(run.cancelRequested() ? "was asked to end; " + reason : reason);
    }

    private String find(Workflows workflows, Jobs jobs, Supplier<Instant> now) {
        List<DefinitionInfo> versions = workflows.definitions().stream()
                .filter(definition -> definition.name().equals(run.workflow()))
                .toList();
        if (versions.stream().anyMatch(DefinitionInfo::paused)) {
            return "the workflow is paused: muster workflows resume " + run.workflow();
        }
        if (run.status().isBlocked()) {
            return "is blocked: " + run.reason().orElse("no live node can resume it");
        }
        if (versions.stream()
                .noneMatch(version -> version.live() && version.version().equals(run.version()))) {
            return "no live node has workflow " + run.workflow() + " " + run.version();
        }
        Optional<JobInfo> driver = jobs.find(run.id()).filter(job -> job.status() == JobStatus.PENDING);
        if (driver.isPresent() && driver.get().runAt().isAfter(now.get())) {
            return untilDue(driver.get().runAt());
        }
        return driver.flatMap(JobInfo::waitingReason)
                .map(why -> "is due and waits because " + why)
                .orElse("is due; a node takes it as soon as one is free");
    }

    private String untilDue(Instant due) {
        if (!run.awaiting().isEmpty()) {
            return "waits for " + run.awaiting().stream().map(this::event).collect(Collectors.joining(", "))
                    + run.wakeAt().map(limit -> ", until " + limit).orElse("");
        }
        if (due.isAfter(FAR_FUTURE)) {
            return "was parked while its workflow was paused; the scheduler leader wakes it soon";
        }
        return steps.stream()
                .filter(step -> StepState.RETRYING.name().equalsIgnoreCase(step.status()))
                .reduce((earlier, later) -> later)
                .map(step -> "tries step '" + step.name() + "' again at " + due)
                .orElseGet(() -> (steps.isEmpty() ? "starts at " : "sleeps until ") + due);
    }

    /** A child tells its parent by an event that it has ended. */
    private String event(String name) {
        if (!name.startsWith(CHILD_EVENT)) {
            return "event '" + name + "'";
        }
        String path = name.substring(CHILD_EVENT.length());
        return steps.stream()
                .filter(step -> step.path().equals(path))
                .findFirst()
                .map(step -> "its child '" + step.name() + "' (step " + path + ")")
                .orElse("its child of step " + path);
    }
}
