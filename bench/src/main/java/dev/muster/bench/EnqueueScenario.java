package dev.muster.bench;

import java.util.List;
import java.util.Map;

/** How fast jobs are taken in: in batches from two threads, and one by one from eight. */
final class EnqueueScenario implements Scenario {
    private static final Metric BATCHES = Metric.rate("enqueue");
    private static final Metric SINGLE = Metric.rate("enqueue_single");
    private static final int BATCH = 1_000;

    private final int jobs;

    EnqueueScenario(int jobs) {
        this.jobs = jobs;
    }

    @Override
    public String name() {
        return "enqueue";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(BATCHES, SINGLE);
    }

    @Override
    public boolean suits(Contender contender) {
        return !contender.name().equals("own_sql");
    }

    @Override
    public Map<Metric, Double> measure(Scratch database, Site site) throws Exception {
        int singles = Math.max(1, jobs / 5);
        double single = timed(site, 0, singles, 1, 8);
        database.checkpoint();
        double batches = timed(site, singles, jobs, BATCH, 2);
        site.verify(jobs + singles, 0);
        return Map.of(BATCHES, batches, SINGLE, single);
    }

    private static double timed(Site site, int first, int jobs, int batch, int threads) throws Exception {
        long start = System.nanoTime();
        Crew.enqueue(site, first, jobs, batch, threads);
        return jobs * 1e9 / (System.nanoTime() - start);
    }
}
