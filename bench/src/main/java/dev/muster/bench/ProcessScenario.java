package dev.muster.bench;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** How fast a backlog is worked off. */
final class ProcessScenario implements Scenario {
    private static final Metric RATE = Metric.rate("process");
    private static final Metric CPU = Metric.cpuMicros("process_cpu");
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
        return List.of(RATE, CPU);
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
        OptionalLong before = database.cpu().nanos();
        Site.Tally tally = site.process(jobs, AT_MOST);
        OptionalLong after = database.cpu().nanos();
        site.verify(jobs, tally.done());
        Map<Metric, Double> found = new LinkedHashMap<>();
        found.put(RATE, tally.perSecond());
        if (before.isPresent() && after.isPresent()) {
            found.put(CPU, (after.getAsLong() - before.getAsLong()) / 1e3 / tally.done());
        }
        return found;
    }
}
