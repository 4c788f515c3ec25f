package dev.muster.cli.workflows;

import dev.muster.cli.console.CommandFailed;
import dev.muster.config.Nearest;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.Workflows;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The names of the workflows that some node has published. */
record KnownWorkflows(SortedSet<String> names) {

    static KnownWorkflows of(Workflows workflows) {
        return new KnownWorkflows(workflows.definitions().stream()
                .map(DefinitionInfo::name)
                .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** A hint if no node has ever had a workflow of this name. */
    List<String> hintAbout(String name) {
        return names.contains(name) ? List.of() : List.of(unknown(name));
    }

    void require(String name) {
        if (!names.contains(name)) {
            throw CommandFailed.badInput(unknown(name));
        }
    }

    private String unknown(String name) {
        String suggestion = Nearest.suggestion(name, names);
        String what = "no node has published a workflow '" + name + "'";
        if (!suggestion.isEmpty()) {
            return what + suggestion;
        }
        return what + (names.isEmpty() ? ", nor any other" : "; there are " + String.join(", ", names));
    }
}
