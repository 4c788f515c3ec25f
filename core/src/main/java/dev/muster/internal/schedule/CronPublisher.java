package dev.muster.internal.schedule;

import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.LoopService;
import dev.muster.lock.StartupCoordinator;
import dev.muster.schedule.CronDefinition;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes regularly which crons this node's code has, and marks static crons that no node publishes any more as gone. It does
 * so only after several publications of its own in a row: after a database outage all nodes have been silent.
 */
public final class CronPublisher extends LoopService implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(CronPublisher.class);
    private static final String LEASE = "orphan_crons";
    private static final Duration LEASE_TIME = Duration.ofMinutes(1);

    private final CronStore store;
    private final List<CronDefinition> definitions;
    private final StartupCoordinator coordinator;
    private final Runnable changed;
    private final Timing timing;
    private int publications;

    /**
     * The intervals.
     *
     * @param publishEvery the time between two publications
     * @param goneAfter how long no node must have published a cron before it is gone
     * @param decideAfter after how many publications in a row this node looks for crons that are gone
     */
    public record Timing(Duration publishEvery, Duration goneAfter, int decideAfter) {
        public static final Timing DEFAULT = new Timing(Duration.ofMinutes(1), Duration.ofMinutes(10), 3);
    }

    /** @param changed tells the leader that crons have changed */
    public CronPublisher(
            CronStore store,
            List<CronDefinition> definitions,
            StartupCoordinator coordinator,
            Runnable changed,
            Timing timing) {
        super("crons");
        this.store = store;
        this.definitions = List.copyOf(definitions);
        this.coordinator = coordinator;
        this.changed = changed;
        this.timing = timing;
    }

    @Override
    public Phase phase() {
        return Phase.PREPARATION;
    }

    /** Publishes once before it returns, so that the crons of a started node are known. */
    @Override
    public void start() {
        publish();
        loop().start();
    }

    @Override
    protected Duration step() {
        try {
            publish();
        } catch (RuntimeException e) {
            publications = 0;
            throw e;
        }
        publications++;
        if (publications >= timing.decideAfter()) {
            publications = 0;
            markGone();
        }
        return timing.publishEvery();
    }

    /**
     * A node without crons only checks that it reaches the database, first and last before it looks for crons that are gone: nodes that
     * could not publish for long must have had the time to do so in between.
     */
    private void publish() {
        if (definitions.isEmpty()) {
            if (publications == 0 || publications == timing.decideAfter() - 1) {
                store.now();
            }
        } else if (store.publish(definitions)) {
            changed.run();
        }
    }

    private void markGone() {
        if (!coordinator.tryAcquire(LEASE, LEASE_TIME)) {
            return;
        }
        try {
            for (String cron : store.markGone(timing.goneAfter())) {
                log.warn(
                        "cron={} is gone and no longer ticks: no live node has had it for {}",
                        cron,
                        timing.goneAfter());
            }
        } finally {
            coordinator.release(LEASE);
        }
    }
}
