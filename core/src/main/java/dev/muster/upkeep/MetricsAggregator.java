package dev.muster.upkeep;

import dev.muster.leader.Leadership;
import dev.muster.node.LeaderLoop;
import java.time.Duration;

/** Writes the metrics of each minute some time after its end, and those of minutes that were missed. */
public final class MetricsAggregator extends LeaderLoop {
    private final UpkeepStore store;

    public MetricsAggregator(UpkeepStore store, Leadership leadership) {
        super("metrics", leadership);
        this.store = store;
    }

    @Override
    protected Duration lead() {
        return leadership().fenced(store::writeMinute);
    }
}
