package dev.muster.internal.overview;

import dev.muster.daemon.DaemonInfo;
import dev.muster.overview.Finding.Severity;
import java.util.List;

/** A daemon that has ended too often and waits for an operator. */
final class FailedDaemonCheck implements Check {

    @Override
    public String name() {
        return "failed_daemon";
    }

    @Override
    public String question() {
        return "Do all daemons run?";
    }

    @Override
    public Severity severity() {
        return Severity.CRITICAL;
    }

    @Override
    public String advice() {
        return "see its error, mend the cause, and reset it";
    }

    @Override
    public String page() {
        return "daemons";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        return cluster.daemons().stream()
                .filter(daemon -> daemon.status() == DaemonInfo.Status.FAILED)
                .map(daemon -> new Problem(
                        "Daemon " + daemon.name()
                                + daemon.slot().map(node -> " of node " + node).orElse("") + " has failed"
                                + daemon.failedAt()
                                        .map(at -> ", " + DurationWords.of(cluster.since(at)) + " ago")
                                        .orElse(""),
                        page()))
                .toList();
    }
}
