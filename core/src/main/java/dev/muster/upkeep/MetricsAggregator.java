package dev.muster.upkeep;

import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.node.NodePart;
import dev.muster.runtime.LoopService;
import java.time.Duration;

/** Writes the metrics of each minute some time after its end, and those of minutes that were missed. */
public final class MetricsAggregator extends LoopService implements NodePart {
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    private final UpkeepStore store;
    private final Leadership leadership;

    public MetricsAggregator(UpkeepStore store, Leadership leadership) {
        super("metrics");
        this.store = store;
        this.leadership = leadership;
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    protected Duration step() {
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
