package dev.muster.overview;

import dev.muster.overview.Check.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** All checks, and their findings. */
public final class Checks {
    /** How many findings of one check are named; the rest is counted. */
    private static final int MOST_OF_EACH = 5;

    /** The checks in the order in which their findings are shown, if these are equally bad. */
    public static final List<Check> ALL = List.of(
            new NoWorker(),
            new NoLeader(),
            new JobWithoutHandler(),
            new StrandedRuns(),
            new FailedDaemon(),
            new StaleNode(),
            new Backlog(),
            new FullExecutor(),
            new DeadLetterCheck(),
            new CronProblems(),
            new PausedQueue(),
            new SlowDatabase());

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
        problems.stream().limit(MOST_OF_EACH).map(finding).forEach(findings::add);
        if (problems.size() > MOST_OF_EACH) {
            int more = problems.size() - MOST_OF_EACH;
            findings.add(new Finding(
                    check.name(), check.severity(), "There are " + more + " more of this kind", check.page()));
        }
        return findings;
    }
}
