package dev.muster.internal.overview;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.internal.runtime.Plural;
import dev.muster.overview.Finding.Severity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** An executor whose slots are all taken on all nodes, while jobs wait. */
final class FullExecutorCheck implements Check {

    @Override
    public String name() {
        return "full_executor";
    }

    @Override
    public String question() {
        return "Do executors have free slots?";
    }

    @Override
    public Duration threshold() {
        return Duration.ofSeconds(10);
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String advice() {
        return "start more nodes, make it larger, or see why its handlers take so long";
    }

    @Override
    public String page() {
        return "nodes";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        boolean waits = cluster.queues().stream()
                .filter(queue -> queue.pausedAt().isEmpty())
                .flatMap(queue -> queue.oldestDue().stream())
                .anyMatch(due -> cluster.since(due).compareTo(threshold()) >= 0);
        if (!waits) {
            return List.of();
        }
        Map<String, List<ExecutorInfo>> byName = cluster.workers().stream()
                .flatMap(node -> node.executors().stream())
                .filter(executor -> executor.size() > 0)
                .collect(Collectors.groupingBy(ExecutorInfo::name, TreeMap::new, Collectors.toList()));
        return byName.entrySet().stream()
                .filter(executor -> executor.getValue().stream().allMatch(FullExecutorCheck::isFull))
                .map(executor -> new Problem(words(executor.getKey(), executor.getValue()), page()))
                .toList();
    }

    private static boolean isFull(ExecutorInfo executor) {
        return executor.running() + executor.stuck() >= executor.size();
    }

    private static String words(String name, List<ExecutorInfo> executors) {
        int stuck = executors.stream().mapToInt(ExecutorInfo::stuck).sum();
        int slots = executors.stream().mapToInt(ExecutorInfo::size).sum();
        return Plural.choose(slots, "The only slot", "All " + slots + " slots") + " of executor " + name + " on "
                + Plural.of(executors.size(), "node") + Plural.choose(slots, " is", " are") + " taken, and jobs wait"
                + (stuck == 0 ? "" : "; " + stuck + " of them by handlers that ignore interruption");
    }
}
