package dev.muster.internal.overview;

import dev.muster.internal.runtime.Plural;
import dev.muster.overview.Finding.Severity;
import java.util.List;

/** Runs that no live node has the code for. */
final class StrandedRunsCheck implements Check {

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
                        blocked.runs().words() + Plural.choose(blocked.runs().count(), " run", " runs")
                                + " of workflow " + blocked.workflow() + " " + blocked.version()
                                + Plural.choose(blocked.runs().count(), " has", " have") + " been blocked for "
                                + DurationWords.of(cluster.since(blocked.since()))
                                + ", because "
                                + blocked.reason(),
                        page()))
                .toList();
    }
}
