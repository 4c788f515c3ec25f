package dev.muster.internal.workflow;

import dev.muster.internal.telemetry.Traces;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.telemetry.Tracing;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes runs within the span that a tracer makes of it, if there is one. */
final class RunTraces {
    private RunTraces() {}

    /** @param parent the trace of the run that starts these; null if no run does */
    static <T> T publish(Traces traces, List<NewRun> runs, @Nullable String parent, Function<List<NewRun>, T> write) {
        if (runs.isEmpty()) {
            return write.apply(runs);
        }
        return traces.published(
                () -> publication(runs, parent), trace -> write.apply(withTrace(runs, trace == null ? parent : trace)));
    }

    private static List<NewRun> withTrace(List<NewRun> runs, @Nullable String trace) {
        return trace == null
                ? runs
                : runs.stream().map(run -> run.withTrace(trace)).toList();
    }

    private static Tracing.Publication publication(List<NewRun> runs, @Nullable String parent) {
        return new Tracing.Publication(
                same(runs, run -> run.definition().name()),
                true,
                same(runs, run -> run.options().lane().queue()),
                runs.size() == 1 ? Optional.of(runs.get(0).id()) : Optional.empty(),
                runs.size(),
                parent);
    }

    private static Optional<String> same(List<NewRun> runs, Function<NewRun, String> property) {
        String first = property.apply(runs.get(0));
        return runs.stream().allMatch(run -> property.apply(run).equals(first)) ? Optional.of(first) : Optional.empty();
    }
}
