package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import java.util.List;

/** Jobs taken in and worked off at the same time, after a backlog of as many was worked off in the same database. */
final class SustainedScenario implements Scenario {
    static final Metric RATE = Metric.rate("sustained");
    private static final Metric PROCESS = Metric.of("sustained_process", Metric.Unit.JOBS_PER_SECOND);

    @Override
    public String name() {
        return "sustained";
    }

    @Override
    public boolean suits(Contender contender) {
        return switch (contender.name()) {
            case "floor", MusterContender.NAME, "db_scheduler" -> true;
            // The others take in faster than they work off: it would be the process scenario again.
            default -> false;
        };
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        int jobs = Stage.jobs(stage.plan().jobs(), contender);
        try (Scratch database = stage.database();
                Site site = contender.open(database.url())) {
            Crew.enqueue(site, 0, jobs, 1_000, 2);
            database.analyze();
            database.checkpoint();
            double process = Run.backlog(site, jobs).perSecond();
            Run.awaitNothingLeft(site);
            database.checkpoint();
            double sustained = Run.sustained(site, jobs, jobs).perSecond();
            return new Figures().add(RATE, sustained).add(PROCESS, process);
        }
    }

    @Override
    public List<Comparison> comparisons() {
        return List.of(new Comparison("sustained_vs_process", RATE, PROCESS));
    }
}
