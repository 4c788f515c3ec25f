package dev.muster.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How soon a job starts on another node while nothing else is going on. */
final class LatencyScenario implements Scenario {
    private static final Metric P50 = Metric.millis("latency_p50");
    private static final Metric P99 = Metric.millis("latency_p99");
    private static final Metric IN_P50 = Metric.millis("latency_in_transaction_p50");
    private static final Metric IN_P99 = Metric.millis("latency_in_transaction_p99");

    private final int jobs;

    LatencyScenario(int jobs) {
        this.jobs = jobs;
    }

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(P50, P99, IN_P50, IN_P99);
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER;
    }

    @Override
    public Map<Metric, Double> measure(Scratch database, Site site) throws Exception {
        Map<Metric, Double> found = new LinkedHashMap<>();
        if (site instanceof Site.Waking waking) {
            put(found, waking.startDelays(jobs, false), P50, P99);
            put(found, waking.startDelays(jobs, true), IN_P50, IN_P99);
        }
        return found;
    }

    private static void put(Map<Metric, Double> found, long[] nanos, Metric p50, Metric p99) {
        Arrays.sort(nanos);
        found.put(p50, nanos[nanos.length / 2] / 1e6);
        found.put(p99, nanos[nanos.length * 99 / 100] / 1e6);
    }
}
