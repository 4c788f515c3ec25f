package dev.muster.internal.function;

import dev.muster.internal.node.NodePart;
import dev.muster.runtime.Health;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Says whether calls run, and how many hold their threads although their time is over. There is nothing to start: a call runs on its
 * caller's thread.
 */
final class CallHealth implements NodePart {
    private final CallWatch watch;

    CallHealth(CallWatch watch) {
        this.watch = watch;
    }

    @Override
    public String name() {
        return "functions";
    }

    @Override
    public Phase phase() {
        return Phase.WORK;
    }

    /** Others would have to take over the callers of these calls, so the node sends heartbeats often meanwhile. */
    @Override
    public boolean holdsWork() {
        return watch.running() > 0;
    }

    /** A remark, because the node works: only these threads do not. */
    @Override
    public Health health() {
        List<WatchedCall> stuck = watch.stuck();
        if (stuck.isEmpty()) {
            return Health.OK;
        }
        String names =
                stuck.stream().map(WatchedCall::function).distinct().sorted().collect(Collectors.joining(", "));
        return new Health(
                true,
                "functions: " + stuck.size() + " call(s) ignore that their time is over (" + names
                        + "); their threads are held until the handlers return");
    }
}
