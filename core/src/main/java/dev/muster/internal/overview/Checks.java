package dev.muster.internal.overview;

import dev.muster.internal.overview.Check.Problem;
import dev.muster.overview.Finding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** All checks, and their findings. */
public final class Checks {
    /** How many findings of one check are named; the rest is counted. */
    private static final int MAX_PER_CHECK = 5;

    /** The checks in the order in which their findings are shown, if these are equally bad. */
    public static final List<Check> ALL = List.of(
            new NoWorkerCheck(),
            new NoLeaderCheck(),
            new JobWithoutHandlerCheck(),
            new StrandedRunsCheck(),
            new FailedDaemonCheck(),
            new StaleNodeCheck(),
            new BacklogCheck(),
            new FullExecutorCheck(),
            new DeadLetterCheck(),
            new CronCheck(),
            new PausedQueueCheck(),
            new SlowDatabaseCheck());

    private Checks() {}

    /** What needs attention, the worst first. */
    public static List<Finding> findings(ClusterReading cluster) {
        List<Finding> all = new ArrayList<>();
        ALL.forEach(check -> all.addAll(findings(check, cluster)));
        all.sort(Comparator.comparing(Finding::severity));
        return all;
    }

    private static List<Finding> findings(Check check, ClusterReading cluster) {
        List<Problem> problems = check.look(cluster);
        List<Finding> findings = new ArrayList<>();
        Function<Problem, Finding> finding = problem ->
                new Finding(check.name(), check.severity(), problem.what() + ": " + check.advice(), problem.page());
        problems.stream().limit(MAX_PER_CHECK).map(finding).forEach(findings::add);
        if (problems.size() > MAX_PER_CHECK) {
            int more = problems.size() - MAX_PER_CHECK;
            findings.add(new Finding(
                    check.name(), check.severity(), "There are " + more + " more of this kind", check.page()));
        }
        return findings;
    }
}
