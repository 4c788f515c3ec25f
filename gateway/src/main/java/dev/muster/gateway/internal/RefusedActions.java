package dev.muster.gateway.internal;

import dev.muster.access.Scope;
import dev.muster.gateway.internal.route.Call;
import dev.muster.internal.node.NodeContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the actions of each caller that were refused: the audit keeps {@value #MOST} of them in a minute, so that nobody can fill it with
 * actions that were not done. Those of callers with the scope admin are all kept. Each gateway counts for itself. Thread-safe.
 */
final class RefusedActions {
    static final int MOST = 60;

    private static final Logger log = LoggerFactory.getLogger(RefusedActions.class);
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_CALLERS = 10_000;

    private final Map<String, Count> counts = new LinkedHashMap<>();

    private record Count(long began, int refused) {}

    /** Counts a refused action; returns whether its entry is kept. */
    synchronized boolean keeps(Call call) {
        if (call.caller().may(Scope.ADMIN) && call.caller().tenant().isEmpty()) {
            return true;
        }
        String caller = call.muster().nodeId() + " " + call.caller().id();
        long now = call.muster().api(NodeContext.class).clock().nanos();
        Count count = counts.remove(caller);
        boolean fresh = count == null || now - count.began() > WINDOW.toNanos();
        Count next = fresh ? new Count(now, 1) : new Count(count.began(), Math.min(MOST + 1, count.refused() + 1));
        counts.put(caller, next);
        if (counts.size() > MOST_CALLERS) {
            counts.remove(counts.keySet().iterator().next());
        }
        if (next.refused() > MOST && count != null && count.refused() == MOST) {
            log.warn(
                    "caller={} more than {} actions were refused within a minute; the audit keeps no more of them",
                    call.caller().id(),
                    MOST);
        }
        return next.refused() <= MOST;
    }
}
