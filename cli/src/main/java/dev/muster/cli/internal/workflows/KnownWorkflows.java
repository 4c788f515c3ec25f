package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.internal.config.Nearest;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.Workflows;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The names and versions of the workflows that some node has published. */
record KnownWorkflows(SortedMap<String, SortedSet<String>> versions) {

    static KnownWorkflows of(Workflows workflows) {
        SortedMap<String, SortedSet<String>> versions = new TreeMap<>();
        for (DefinitionInfo one : workflows.definitions()) {
            versions.computeIfAbsent(one.name(), name -> new TreeSet<>()).add(one.version());
        }
        return new KnownWorkflows(versions);
    }

    private Set<String> names() {
        return versions.keySet();
    }

    /** A hint if no node has ever had a workflow of this name. */
    List<String> hintAbout(String name) {
        return names().contains(name) ? List.of() : List.of(unknown(name));
    }

    void require(String name) {
        if (!names().contains(name)) {
            throw CommandFailed.badInput(unknown(name));
        }
    }

    void require(String name, String version) {
        require(name);
        SortedSet<String> published = versions.get(name);
        if (!published.contains(version)) {
            throw CommandFailed.badInput("no node has published version '" + version + "' of workflow '" + name
                    + "'; there are " + String.join(", ", published));
        }
    }

    private String unknown(String name) {
        String suggestion = Nearest.suggestion(name, names());
        String what = "no node has published a workflow '" + name + "'";
        if (!suggestion.isEmpty()) {
            return what + suggestion;
        }
        return what + (names().isEmpty() ? ", nor any other" : "; there are " + String.join(", ", names()));
    }
}
