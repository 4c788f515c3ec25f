package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;

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
        return contender.kind() != Contender.Kind.WORKFLOW_PEER;
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        int jobs = Stage.jobs(stage.plan().jobs(), contender);
        try (Scratch database = stage.database();
                Site site = contender.open(database.url())) {
            MeasuredBacklog backlog = MeasuredBacklog.of(database, site, jobs);
            return new Figures().add(RATE, backlog.perSecond()).add(CPU, backlog.cpuMicros());
        }
    }
}
