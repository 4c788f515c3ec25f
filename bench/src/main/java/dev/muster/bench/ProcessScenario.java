package dev.muster.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** How fast a backlog is worked off. */
final class ProcessScenario implements Scenario {
    private static final Metric RATE = Metric.rate("process");
    private static final Duration AT_MOST = Duration.ofSeconds(60);

    private final int jobs;

    ProcessScenario(int jobs) {
        this.jobs = jobs;
    }

    @Override
    public String name() {
        return "process";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(RATE);
    }

    @Override
    public boolean suits(Contender contender) {
        return true;
    }

    @Override
    public Map<Metric, Double> measure(Scratch database, Site site) throws Exception {
        Crew.enqueue(site, 0, jobs, 1_000, 2);
        site.verify(jobs, 0);
        database.analyze();
        Site.Tally tally = site.process(jobs, AT_MOST);
        site.verify(jobs, tally.done());
        return Map.of(RATE, tally.perSecond());
    }
}
