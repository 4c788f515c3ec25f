package dev.muster.overview;

import dev.muster.overview.Finding.Severity;
import java.util.List;

/** Runs that no live node has the code for. */
final class StrandedRuns implements Check {

    @Override
    public String name() {
        return "stranded_runs";
    }

    @Override
    public String question() {
        return "Can live nodes resume all runs?";
    }

    @Override
    public Severity severity() {
        return Severity.CRITICAL;
    }

    @Override
    public String advice() {
        return "start a node with this code, or retire the version with muster workflows retire";
    }

    @Override
    public String page() {
        return "workflows";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        return cluster.blockedRuns().stream()
                .map(blocked -> new Problem(
                        blocked.runs().words() + " run(s) of workflow " + blocked.workflow() + " " + blocked.version()
                                + " have been blocked for " + Words.of(cluster.since(blocked.since())) + ", because "
                                + blocked.reason(),
                        page()))
                .toList();
    }
}
