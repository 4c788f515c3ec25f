package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import java.util.OptionalLong;

/** How fast a backlog is run. */
final class ProcessScenario implements Scenario {
    static final Metric RATE = Metric.rate("process");
    private static final Metric CPU = Metric.cpuMicros("process_cpu");

    @Override
    public String name() {
        return "process";
    }

    @Override
    public boolean suits(Contender contender) {
        return true;
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        int jobs = Stage.jobs(stage.plan().jobs(), contender);
        try (Scratch database = stage.database();
                Site site = contender.open(database.url())) {
            Crew.enqueue(site, 0, jobs, 1_000, 2);
            database.analyze();
            database.checkpoint();
            OptionalLong before = database.cpu().nanos();
            Run.Tally tally = Run.backlog(site, jobs);
            OptionalLong after = database.cpu().nanos();
            Figures figures = new Figures().add(RATE, tally.perSecond());
            if (before.isPresent() && after.isPresent()) {
                figures.add(CPU, (after.getAsLong() - before.getAsLong()) / 1e3 / tally.done());
            }
            return figures;
        }
    }
}
