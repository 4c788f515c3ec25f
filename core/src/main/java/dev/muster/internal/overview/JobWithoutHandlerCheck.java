package dev.muster.internal.overview;

import dev.muster.cluster.NodeInfo;
import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.runtime.Plural;
import dev.muster.overview.Finding.Severity;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Jobs that are due and that no live node has a handler for, or routes to an executor. */
final class JobWithoutHandlerCheck implements Check {

    @Override
    public String name() {
        return "job_without_handler";
    }

    @Override
    public String question() {
        return "Does a node run the jobs that are due?";
    }

    @Override
    public Duration threshold() {
        return Duration.ofSeconds(30);
    }

    @Override
    public Severity severity() {
        return Severity.CRITICAL;
    }

    @Override
    public String advice() {
        return "start a node with a handler for it, or cancel these jobs";
    }

    @Override
    public String page() {
        return "jobs?status=pending";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        Set<String> handled = cluster.nodes().stream()
                .filter(NodeInfo::isAlive)
                .flatMap(node -> node.handlers().stream())
                .collect(Collectors.toSet());
        // Without any node every job would be a finding; NoWorkerCheck says that better. StrandedRunsCheck tells of the
        // drivers
        // of runs.
        if (cluster.workers().isEmpty()) {
            return List.of();
        }
        return cluster.oldestDue().stream()
                .filter(due -> !handled.contains(due.name()) && !DriverJobs.isDriver(due.name()))
                .filter(due -> !cluster.isPaused(due.queue()))
                .filter(due -> cluster.since(due.since()).compareTo(threshold()) >= 0)
                .map(due -> new Problem(
                        due.jobs().words() + Plural.choose(due.jobs().count(), " job '", " jobs '") + due.name()
                                + "' in queue " + due.queue()
                                + Plural.choose(due.jobs().count(), " has", " have") + " been due for up to "
                                + DurationWords.of(cluster.since(due.since()))
                                + ", and no live node "
                                + (isUnrouted(cluster, due.name())
                                        ? "routes " + Plural.choose(due.jobs().count(), "it", "them")
                                                + " to an executor"
                                        : "has a handler"),
                        "jobs?status=pending&q=name:" + due.name()))
                .toList();
    }

    private static boolean isUnrouted(ClusterReading cluster, String name) {
        return cluster.nodes().stream()
                .anyMatch(node -> node.isAlive() && node.unrouted().contains(name));
    }
}
