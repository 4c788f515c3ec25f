package dev.muster.internal.event;

import dev.muster.event.Event.RunChanged;
import dev.muster.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the runs that change, without an index on when they did: such an index would be written with every step of every workflow. New runs
 * are found by their ids and ended ones by when they ended. A run that was found is read again until it has been quiet for a while. So a run
 * that has been quiet for longer, and continues for a moment, is not noticed before it ends; who shows one run watches it by its id.
 */
final class RecentRuns {
    /** How many new, and how many ended runs, are looked for at a time, and how many are followed. */
    static final int MOST = 500;

    /** How many are remembered: more than one look finds, because those that are forgotten would count as changed. */
    private static final int MOST_KNOWN = 4 * MOST;

    private static final Duration FOLLOWED = Duration.ofSeconds(30);

    /** Ids have the time of the node that has started the run, and ends become visible when their transactions commit. */
    private static final Duration OVERLAP = Duration.ofSeconds(5);

    private final EventStore store;
    private final Map<JobId, Seen> known = new LinkedHashMap<>();
    private boolean begun;

    private record Seen(RunChanged run, Instant at) {}

    RecentRuns(EventStore store) {
        this.store = store;
    }

    /**
     * The runs that have changed since the last call.
     *
     * @param now about the database's time
     */
    List<RunChanged> changed(Instant now) {
        forgetQuiet(now);
        List<RunChanged> found = new ArrayList<>(store.recentRuns(now.minus(OVERLAP), MOST));
        List<JobId> followed = known.entrySet().stream()
                .filter(entry -> !entry.getValue().run().status().isTerminal())
                .map(Map.Entry::getKey)
                .toList();
        followed = followed.subList(Math.max(0, followed.size() - MOST), followed.size());
        if (!followed.isEmpty()) {
            found.addAll(store.runs(followed));
        }
        List<RunChanged> changed = new ArrayList<>();
        for (RunChanged run : found) {
            Seen before = known.get(run.id());
            if (before == null || !before.run().equals(run)) {
                known.remove(run.id());
                known.put(run.id(), new Seen(run, now));
                changed.add(run);
            }
        }
        // What the first look finds has happened before anybody listened.
        boolean first = !begun;
        begun = true;
        return first ? List.of() : changed;
    }

    /** The quietest come first. */
    private void forgetQuiet(Instant now) {
        Iterator<Seen> seen = known.values().iterator();
        while (seen.hasNext()) {
            Seen next = seen.next();
            if (known.size() <= MOST_KNOWN && next.at().isAfter(now.minus(FOLLOWED))) {
                return;
            }
            seen.remove();
        }
    }
}
