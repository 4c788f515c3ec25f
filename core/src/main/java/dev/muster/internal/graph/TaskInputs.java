package dev.muster.internal.graph;

import dev.muster.graph.TaskStatus;
import dev.muster.internal.attempt.ArgsSource;
import dev.muster.internal.attempt.BadArgs;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.graph.GraphStore.ParentResult;
import dev.muster.internal.graph.GraphStore.TaskSource;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.job.JobId;
import dev.muster.runtime.MusterException;
import java.util.Optional;

/**
 * Assembles the args of a task's job from the task's inputs and the results of its parents. The job's own args only say that it is a
 * task's: {@code {"$muster": "graph", "graph": …, "task": …}}, which no job of a user can have, because {@link Payloads} puts values with
 * that member into an envelope.
 */
public final class TaskInputs implements ArgsSource {
    private final GraphStore store;
    private final Payloads payloads;

    public TaskInputs(GraphStore store, Payloads payloads) {
        this.store = store;
        this.payloads = payloads;
    }

    @Override
    public Optional<OpenArgs> open(JobId job, String stored) {
        if (!Payloads.isTask(stored)) {
            return Optional.empty();
        }
        TaskSource source = store.source(job)
                .orElseThrow(() -> new BadArgs(
                        "no task of a graph has this job any more: its graph was deleted, or its task was retried",
                        null));
        if (source.resultBytes() > TaskSource.MAX_RESULT_BYTES) {
            throw new BadArgs(
                    "the results that its inputs name have " + source.resultBytes() + " bytes together, and may have "
                            + TaskSource.MAX_RESULT_BYTES + ": store them elsewhere and return references",
                    null);
        }
        String inputs =
                payloads.openToRun(new JobId(source.graph().value()), Kind.INPUTS, source.task(), source.inputs());
        boolean sealed = Payloads.isEnvelope(source.inputs())
                || source.parents().values().stream()
                        .anyMatch(parent -> parent.result() != null && Payloads.isEnvelope(parent.result()));
        try {
            int length = Math.toIntExact(inputs.length() + source.resultBytes());
            String args = InputMapping.assemble(inputs, parent -> result(source, parent), length);
            return Optional.of(new OpenArgs(args, sealed));
        } catch (MissingResult e) {
            throw new BadArgs(e.getMessage(), e);
        }
    }

    private Optional<String> result(TaskSource source, String parent) {
        ParentResult found = source.parents().get(parent);
        if (found != null && found.status() == TaskStatus.UNKNOWN) {
            throw new MusterException(
                    "task '" + parent
                            + "' has a status that this version of Muster does not know, so it is not known either whether its result counts");
        }
        if (found == null || found.status() != TaskStatus.COMPLETED) {
            return Optional.empty();
        }
        return Optional.of(
                found.result() == null ? "null" : payloads.openToRun(found.job(), Kind.RESULT, found.result()));
    }
}
