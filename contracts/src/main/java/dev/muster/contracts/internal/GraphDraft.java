package dev.muster.contracts.internal;

import dev.muster.graph.GraphId;
import dev.muster.graph.Trigger;
import dev.muster.internal.graph.GraphStore.NewGraph;
import dev.muster.internal.graph.GraphStore.NewTask;
import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Builds a graph for a test, which sets only what matters to it. */
public final class GraphDraft {
    private final List<NewTask> tasks = new ArrayList<>();
    private @Nullable String key;
    private @Nullable String trace;
    private @Nullable ArgsFingerprint fingerprint;

    public static GraphDraft empty() {
        return new GraphDraft();
    }

    private GraphDraft() {}

    public GraphDraft trace(String value) {
        this.trace = value;
        return this;
    }

    public GraphDraft key(String value) {
        this.key = value;
        return this;
    }

    /** What the graph is asked for with, if its key is used again. */
    public GraphDraft key(String value, Payloads payloads, String content) {
        this.fingerprint = payloads.contentFingerprint("graphs", value, content);
        return key(value);
    }

    /** A task that runs when these parents have completed. */
    public GraphDraft task(String id, String... parents) {
        return task(id, Trigger.ALL_SUCCESS, parents);
    }

    public GraphDraft task(String id, Trigger trigger, String... parents) {
        Map<Integer, Boolean> numbers = new LinkedHashMap<>();
        for (String parent : parents) {
            numbers.put(number(parent), true);
        }
        return task(id, trigger, numbers);
    }

    /** @param parents the numbers of its parents, and whether they are required */
    public GraphDraft task(String id, Trigger trigger, Map<Integer, Boolean> parents) {
        return task(id, trigger, parents, JobOptions.DEFAULTS);
    }

    public GraphDraft task(String id, Trigger trigger, Map<Integer, Boolean> parents, JobOptions options) {
        Set<Integer> takesFrom = new TreeSet<>(parents.keySet());
        tasks.add(new NewTask(
                tasks.size(),
                id,
                JobId.next(),
                "job",
                options.maxAttempts(1),
                trigger,
                "{\"task\": \"" + id + "\"}",
                null,
                List.of(),
                parents,
                takesFrom));
        return this;
    }

    private int number(String id) {
        return tasks.stream()
                .filter(task -> task.id().equals(id))
                .findFirst()
                .orElseThrow()
                .number();
    }

    public NewGraph graph() {
        return new NewGraph(GraphId.next(), "drafted", key, List.copyOf(tasks), trace, fingerprint);
    }
}
