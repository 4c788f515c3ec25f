package dev.muster.internal.admission;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.AdmissionStore.Swept;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.LoopService;
import dev.muster.job.Lane;
import dev.muster.leader.Leadership;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Admits jobs of groups later: when a job that waits for its next attempt is due, when the rate of a group allows the next job, when the lock
 * on a group was not granted in time, and, if this node leads, when a caller's transaction has put jobs into their groups. While this node keeps the
 * cluster in order, it also sweeps, for what no node has a timer for. As long as no job that waits for admission is due it sends no statement.
 */
final class AdmissionKeeper extends LoopService implements NodePart {
    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final int AT_ONCE = 50;

    /** How many groups it remembers; the sweep finds the others. */
    private static final int MOST = 20_000;

    /** Concurrency groups that may hold up others are admitted to for as long as this at a time. */
    private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AdmissionStore store;
    private final Leadership leadership;
    private final ClusterCoordinator coordinator;
    private final Clock clock;
    private final Map<String, Due> later = new ConcurrentHashMap<>();
    private volatile boolean sweep;
    private Optional<Long> sweepAt = Optional.empty();

    /** @param alone whether to admit to it in a call of its own */
    private record Due(long at, boolean alone) {
        Due earlier(Due other) {
            return new Due(at - other.at < 0 ? at : other.at, alone || other.alone);
        }
    }

    AdmissionKeeper(AdmissionStore store, Leadership leadership, ClusterCoordinator coordinator, Clock clock) {
        super("admission");
        this.store = store;
        this.leadership = leadership;
        this.coordinator = coordinator;
        this.clock = clock;
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    public void start() {
        store.onLater(this::later);
        super.start();
    }

    private void later(String group, Duration delay, boolean alone) {
        if (delay.isZero() && !leadership.isLeader() || later.size() >= MOST && !later.containsKey(group)) {
            return;
        }
        later.merge(group, new Due(clock.nanos() + delay.toNanos(), alone), Due::earlier);
        loop().wake();
    }

    @Override
    public void due(Set<Duty> duties) {
        if (duties.contains(Duty.CHECK_ADMISSION)) {
            sweep = true;
            loop().wake();
        }
    }

    @Override
    protected Duration step() {
        long next = Math.min(IDLE.toNanos(), sweepIfDue());
        long now = clock.nanos();
        List<String> together = new ArrayList<>();
        List<Map.Entry<String, Due>> alone = new ArrayList<>();
        for (Map.Entry<String, Due> entry : later.entrySet()) {
            long left = entry.getValue().at() - now;
            if (left > 0) {
                next = Math.min(next, left);
            } else if (together.size() < AT_ONCE && later.remove(entry.getKey(), entry.getValue())) {
                if (entry.getValue().alone()) {
                    alone.add(entry);
                } else {
                    together.add(entry.getKey());
                }
            } else {
                next = 0;
            }
        }
        Set<Lane> lanes = new HashSet<>(store.admit(together));
        for (Map.Entry<String, Due> entry : alone) {
            if (clock.nanos() - now < ALONE_NANOS) {
                lanes.addAll(store.admit(List.of(entry.getKey())));
            } else {
                later.merge(entry.getKey(), entry.getValue(), Due::earlier);
                next = 0;
            }
        }
        tell(lanes);
        return Duration.ofNanos(next);
    }

    /** Returns how many nanoseconds to wait for the next sweep at most. */
    private long sweepIfDue() {
        if (sweep || leadership.isLeader() && untilSweep() <= 0) {
            sweep = false;
            Swept swept = store.sweep();
            sweepAt = swept.again().map(pause -> clock.nanos() + pause.toNanos());
            tell(swept.lanes());
        }
        return leadership.isLeader() ? Math.max(0, untilSweep()) : Long.MAX_VALUE;
    }

    private long untilSweep() {
        return sweepAt.map(at -> at - clock.nanos()).orElse(Long.MAX_VALUE);
    }

    private void tell(Set<Lane> lanes) {
        if (!lanes.isEmpty()) {
            coordinator.notifyNewWork(lanes);
        }
    }
}
