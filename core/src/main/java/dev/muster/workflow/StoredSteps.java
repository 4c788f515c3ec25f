package dev.muster.workflow;

import dev.muster.workflow.WorkflowStore.StepRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The stored steps of a run by their paths, in the order in which they were stored last. Branches use it from several threads. */
final class StoredSteps {
    private final Map<String, StepRow> byPath = new LinkedHashMap<>();

    synchronized void put(StepRow row) {
        byPath.remove(row.path());
        byPath.put(row.path(), row);
    }

    synchronized @Nullable StepRow get(String path) {
        return byPath.get(path);
    }

    synchronized int size() {
        return byPath.size();
    }

    synchronized boolean anyToCompensate() {
        return byPath.values().stream().anyMatch(step -> step.compensation() != null);
    }

    /** The step that was stored last comes first. */
    synchronized List<StepRow> lastFirst() {
        List<StepRow> rows = new ArrayList<>(byPath.values());
        Collections.reverse(rows);
        return rows;
    }
}
