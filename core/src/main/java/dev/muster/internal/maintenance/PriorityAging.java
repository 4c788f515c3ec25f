package dev.muster.internal.maintenance;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.maintenance.AgingStore.Lifted;
import dev.muster.internal.maintenance.AgingStore.RankedLane;
import dev.muster.internal.node.LeaderLoop;
import dev.muster.internal.runtime.Durations;
import dev.muster.job.Lane;
import dev.muster.leader.Leadership;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifts jobs that nobody claims by one priority for each {@code worker.age_after} that they wait, so that they run although there are always
 * enough jobs with a higher priority. A node without that setting has no such part.
 *
 * <p>A pass lifts a bounded number of jobs in a transaction for each rank. The search for the lanes and ranks where jobs wait starts at the beginning
 * of an index, so it takes a limited share of the time; passes in between start in the known lanes, where the last pass ended.
 */
public final class PriorityAging extends LeaderLoop {
    private static final Logger log = LoggerFactory.getLogger(PriorityAging.class);

    /** How many jobs of each rank one pass lifts at most. */
    private static final int MOST = 500;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** A search is followed by a pause of this many times its duration. */
    private static final long SEARCH_SHARE = 20;

    private static final long LONGEST_WITHOUT_SEARCH = TimeUnit.MINUTES.toNanos(10);

    private final AgingStore store;
    private final ClusterCoordinator coordinator;
    private final Duration ageAfter;
    private final Clock clock;
    private final Map<Integer, List<RankedLane>> ranked = new TreeMap<>(Comparator.reverseOrder());
    private long searchAt;

    public PriorityAging(
            AgingStore store, Leadership leadership, ClusterCoordinator coordinator, Duration ageAfter, Clock clock) {
        super("priority-aging", leadership);
        this.store = store;
        this.coordinator = coordinator;
        this.ageAfter = ageAfter;
        this.clock = clock;
        this.searchAt = clock.nanos();
    }

    @Override
    protected Duration lead() {
        searchIfDue();
        Set<Lane> lanes = new HashSet<>();
        try {
            // From high ranks to low ones; a job that was lifted in this pass has not waited in its new rank.
            ranked.replaceAll((rank, known) -> lift(known, lanes));
        } finally {
            if (!lanes.isEmpty()) {
                coordinator.notifyNewWork(lanes);
            }
        }
        return Durations.shorter(ageAfter.dividedBy(10), LONGEST_PAUSE);
    }

    private List<RankedLane> lift(List<RankedLane> known, Set<Lane> lanes) {
        Lifted lifted = leadership().fenced(tx -> store.lift(tx, known, ageAfter, MOST));
        lanes.addAll(lifted.lanes());
        if (lifted.jobs() > 0) {
            log.debug(
                    "lifted {} jobs of rank {} in {} lanes",
                    lifted.jobs(),
                    known.get(0).rank(),
                    lifted.lanes().size());
        }
        return lifted.next();
    }

    private void searchIfDue() {
        long start = clock.nanos();
        if (start - searchAt < 0) {
            return;
        }
        try {
            Map<Integer, List<RankedLane>> found =
                    store.findWaiting(ageAfter).stream().collect(Collectors.groupingBy(RankedLane::rank));
            ranked.clear();
            ranked.putAll(found);
        } finally {
            // Also after a search that failed: the next pass lifts in the known lanes.
            long now = clock.nanos();
            searchAt = now + Math.min((now - start) * SEARCH_SHARE, LONGEST_WITHOUT_SEARCH);
        }
    }
}
