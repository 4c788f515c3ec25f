package dev.muster.internal.workflow;

import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stored steps of a run by their paths, in the order in which they were stored last. It notes which of them the code has asked for.
 * Branches use it from several threads.
 */
final class StoredSteps {
    private final Map<String, StepRow> byPath = new LinkedHashMap<>();
    private final Set<String> notAskedFor = new LinkedHashSet<>();
    private final Set<String> parallels = new HashSet<>();
    private long characters;

    /** @param loaded the steps that were stored before this activation */
    StoredSteps(Collection<StepRow> loaded) {
        for (StepRow row : loaded) {
            put(row);
            if (row.kind() != StepKind.COMPENSATION) {
                notAskedFor.add(row.path());
                noteParallels(row.path());
            }
        }
    }

    /** The step 2.0.1.3.0 lies in branches of the parallel calls 2 and 2.0.1. */
    private void noteParallels(String path) {
        int dots = 0;
        for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
            if (dots++ % 2 == 0) {
                parallels.add(path.substring(0, dot));
            }
        }
    }

    synchronized void put(StepRow row) {
        StepRow before = byPath.remove(row.path());
        byPath.put(row.path(), row);
        characters += length(row) - (before == null ? 0 : length(before));
    }

    private static int length(StepRow row) {
        return row.result() == null ? 0 : row.result().length();
    }

    synchronized @Nullable StepRow get(String path) {
        notAskedFor.remove(path);
        return byPath.get(path);
    }

    /** Whether steps of branches were stored under this path. */
    synchronized boolean isParallel(String path) {
        return parallels.contains(path);
    }

    /** A step that was stored before, and that the code of this activation has not come to. */
    synchronized Optional<StepRow> notAskedFor() {
        return notAskedFor.stream().findFirst().map(byPath::get);
    }

    synchronized int size() {
        return byPath.size();
    }

    /** How many characters their results have together. */
    synchronized long characters() {
        return characters;
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
