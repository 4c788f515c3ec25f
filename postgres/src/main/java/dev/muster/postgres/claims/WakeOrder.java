package dev.muster.postgres.claims;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Which of the nodes that have nothing to do comes when a job does. Two go at once, some follow one after the other, in case
 * that those are dead, slow or full by now, and the rest leave it to them: what none of these takes, somebody finds when it
 * polls. The order is another one for each lane and moment, and every node works it out for itself.
 */
public final class WakeOrder {
    private static final int AT_ONCE = 2;
    private static final int IN_TURN = 6;
    private static final Duration SPACING = Duration.ofMillis(35);

    /** Wake-ups of a lane are at least this far apart, so each has an order of its own. */
    private static final long MOMENT_MICROS = TimeUnit.MILLISECONDS.toMicros(20);

    private final String node;

    WakeOrder(String node) {
        this.node = node;
    }

    /**
     * How long this node waits; empty: it does not come.
     *
     * @param idle the nodes that have nothing to do and would do the same work, as far as this one knows
     */
    Optional<Duration> of(Set<Lane> lanes, Collection<String> idle, long serverMicros) {
        if (idle.size() <= AT_ONCE) {
            return Optional.of(Duration.ZERO);
        }
        long salt = mixed(lanes.hashCode() * 31L + serverMicros / MOMENT_MICROS);
        long own = place(node, salt);
        int before = 0;
        for (String other : idle) {
            if (!other.equals(node) && place(other, salt) < own && ++before >= IN_TURN) {
                return Optional.empty();
            }
        }
        return Optional.of(before < AT_ONCE ? Duration.ZERO : SPACING.multipliedBy(before - AT_ONCE + 1L));
    }

    private static long place(String node, long salt) {
        return mixed(node.hashCode() ^ salt);
    }

    /** Neighbouring numbers come out far apart. */
    private static long mixed(long number) {
        long mixed = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
