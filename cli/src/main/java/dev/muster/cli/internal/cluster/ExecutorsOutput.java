package dev.muster.cli.internal.cluster;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.NodeDocument;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How commands show the executors of nodes. */
final class ExecutorsOutput {
    private static final String DEFAULT = "default";

    private ExecutorsOutput() {}

    /** Whether they tell more than the number of running jobs does: some node has another executor than default, or stuck handlers. */
    static boolean areWorthShowing(List<NodeInfo> nodes) {
        return nodes.stream()
                .flatMap(node -> node.executors().stream())
                .anyMatch(executor -> !executor.name().equals(DEFAULT) || executor.stuck() > 0);
    }

    /** {@code default 3/16, gpu 2/2 (1 stuck)}. */
    static String text(List<ExecutorInfo> executors) {
        return executors.isEmpty()
                ? "-"
                : executors.stream().map(ExecutorsOutput::text).collect(Collectors.joining(", "));
    }

    private static String text(ExecutorInfo executor) {
        return executor.name() + " " + executor.running() + "/" + executor.size()
                + (executor.stuck() == 0 ? "" : " (" + executor.stuck() + " stuck)");
    }

    /** Without kinds, which may differ from node to node. */
    static List<@Nullable Object> documentOfCluster(List<NodeInfo> nodes) {
        return JsonObjectWriter.list(ofCluster(nodes), NodeDocument::slots);
    }

    static String textOfCluster(List<NodeInfo> nodes) {
        return text(ofCluster(nodes));
    }

    /** The executors of the live nodes, those with the same name added up. */
    private static List<ExecutorInfo> ofCluster(List<NodeInfo> nodes) {
        Map<String, ExecutorInfo> byName = new LinkedHashMap<>();
        nodes.stream()
                .filter(NodeInfo::isAlive)
                .flatMap(node -> node.executors().stream())
                .forEach(executor -> byName.merge(executor.name(), executor, ExecutorsOutput::sum));
        List<ExecutorInfo> sums = new ArrayList<>(byName.values());
        sums.sort(
                Comparator.comparing((ExecutorInfo executor) -> !executor.name().equals(DEFAULT))
                        .thenComparing(ExecutorInfo::name));
        return sums;
    }

    private static ExecutorInfo sum(ExecutorInfo one, ExecutorInfo other) {
        return new ExecutorInfo(
                one.name(),
                one.kind(),
                one.size() + other.size(),
                one.running() + other.running(),
                one.stuck() + other.stuck());
    }
}
