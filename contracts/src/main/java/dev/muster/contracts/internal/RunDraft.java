package dev.muster.contracts.internal;

import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.workflow.Workflow.Lifecycle;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a run of a workflow for a test, which sets only what matters to it. */
public final class RunDraft {
    public static final int MAX_CRASHES = 3;

    private final Definition definition;
    private JobId id = JobId.next();
    private boolean idGiven;
    private @Nullable String key;
    private @Nullable Duration delay;
    private @Nullable JobId parent;
    private @Nullable String parentPath;
    private @Nullable String trace;
    private @Nullable ArgsFingerprint fingerprint;

    private RunDraft(Definition definition) {
        this.definition = definition;
    }

    public static RunDraft of(Definition definition) {
        return new RunDraft(definition);
    }

    /** A run of version v1 of this workflow. */
    public static RunDraft of(String workflow) {
        return of(version(workflow, "v1"));
    }

    /** An active version without declared steps. */
    public static Definition version(String workflow, String version) {
        return version(workflow, version, "0123456789abcdef", Lifecycle.ACTIVE);
    }

    public static Definition version(String workflow, String version, String signature, Lifecycle lifecycle) {
        return new Definition(
                workflow, version, signature, lifecycle, List.of(), JobOptions.DEFAULTS.maxCrashes(MAX_CRASHES));
    }

    public RunDraft id(JobId given) {
        this.id = given;
        this.idGiven = true;
        return this;
    }

    public RunDraft key(String value) {
        this.key = value;
        return this;
    }

    /** What the run is asked for with, if its key is used again. */
    public RunDraft key(String value, Payloads payloads, String input) {
        this.fingerprint = payloads.contentFingerprint(definition.name(), value, input);
        return key(value);
    }

    public RunDraft delay(Duration value) {
        this.delay = value;
        return this;
    }

    public RunDraft childOf(JobId run, String path) {
        this.parent = run;
        this.parentPath = path;
        return this;
    }

    public RunDraft trace(String traceparent) {
        this.trace = traceparent;
        return this;
    }

    public NewRun run() {
        return new NewRun(id, idGiven, definition, definition.options(), "{}", key, delay, parent, parentPath, trace)
                .withFingerprint(fingerprint);
    }

    /** A step that has completed with this result. */
    public static StepRow completed(String path, String name, @Nullable String result) {
        return step(path, name, StepKind.STEP, StepState.COMPLETED, result);
    }

    /** A wait for an event that begins. */
    public static StepRow waiting(String path, String event) {
        return step(path, event, StepKind.EVENT, StepState.WAITING, null);
    }

    public static StepRow step(String path, String name, StepKind kind, StepState state, @Nullable String result) {
        return new StepRow(path, name, kind, state, 1, result, null, null, null, null, null);
    }
}
