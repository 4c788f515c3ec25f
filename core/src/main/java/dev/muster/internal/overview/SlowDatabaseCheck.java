package dev.muster.internal.overview;

import dev.muster.overview.Finding.Severity;
import java.util.List;

/** Something could not be read in the time that an overview has. */
final class SlowDatabaseCheck implements Check {

    @Override
    public String name() {
        return "slow_database";
    }

    @Override
    public String question() {
        return "Does the database answer in time?";
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String advice() {
        return "see whether it is busy, or whether a transaction that stays open keeps it from removing dead rows (pg_stat_activity)";
    }

    @Override
    public String page() {
        return "";
    }

    @Override
    public List<Problem> look(ClusterReading cluster) {
        return cluster.missing().isEmpty()
                ? List.of()
                : List.of(new Problem(
                        "The database could not read " + String.join(" and ", cluster.missing()) + " within "
                                + OverviewReader.PATIENCE.toMillis() + " ms",
                        page()));
    }
}
