package dev.muster.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.engine.ClusterIT;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** A database and a cluster for tests of graphs. */
abstract class GraphCluster extends ClusterIT {
    static final Duration SOON = Duration.ofSeconds(90);

    final Graphs graphs() {
        return cluster.client().graphs();
    }

    final GraphInfo ended(GraphId graph) {
        GraphInfo info = graphs().await(graph, SOON);
        assertThat(info.status().isTerminal()).as(() -> tree(graph).toString()).isTrue();
        return info;
    }

    final GraphTree tree(GraphId graph) {
        return graphs().tree(graph).orElseThrow();
    }

    final TaskInfo task(GraphId graph, String id) {
        return tree(graph).task(id).orElseThrow();
    }

    /** The status of each task by its id. */
    final Map<String, TaskStatus> statuses(GraphId graph) {
        return tree(graph).tasks().stream().collect(Collectors.toMap(TaskInfo::id, TaskInfo::status));
    }
}
