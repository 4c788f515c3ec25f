package dev.muster.upkeep;

import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Health;
import dev.muster.runtime.Loop;
import dev.muster.runtime.Service;
import java.time.Duration;

/** Writes the metrics of each minute some time after its end, and those of minutes that were missed. */
public final class MetricsAggregator implements Service {
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    private final UpkeepStore store;
    private final Leadership leadership;
    private final Loop loop = new Loop("metrics", this::tick);

    public MetricsAggregator(UpkeepStore store, Leadership leadership) {
        this.store = store;
        this.leadership = leadership;
    }

    @Override
    public String name() {
        return "metrics aggregator";
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop() {
        loop.stop();
    }

    @Override
    public Health health() {
        return loop.health();
    }

    Duration tick() {
        if (!leadership.isLeader()) {
            return UNTIL_LEADING;
        }
        try {
            return leadership.fenced(store::writeMinute);
        } catch (StaleLeader e) {
            return UNTIL_LEADING;
        }
    }
}
