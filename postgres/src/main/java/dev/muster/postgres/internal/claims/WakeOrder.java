package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Decides which idle nodes poll when a job arrives. Two poll at once, some follow one after the other in case the first ones are
 * dead, slow or full, and the rest do not poll: if none of the others claims the job, a regular poll finds it. The order differs
 * for each lane and moment, and every node computes it for itself.
 */
public final class WakeOrder {
    private static final int AT_ONCE = 2;
    private static final int IN_TURN = 6;
    private static final Duration SPACING = Duration.ofMillis(35);

    /** Wake-ups of a lane are at least this far apart, so that each has its own order. */
    private static final long MOMENT_MICROS = TimeUnit.MILLISECONDS.toMicros(20);

    private final String node;

    WakeOrder(String node) {
        this.node = node;
    }

    /**
     * How long this node waits before it polls; empty if it does not poll.
     *
     * @param idle the idle nodes that would claim the same jobs, as far as this node knows
     */
    Optional<Duration> of(Set<Lane> lanes, Collection<String> idle, long serverMicros) {
        if (idle.size() <= AT_ONCE) {
            return Optional.of(Duration.ZERO);
        }
        long salt = mixed(lanes.hashCode() * 31L + serverMicros / MOMENT_MICROS);
        long own = position(node, salt);
        int before = 0;
        for (String other : idle) {
            if (!other.equals(node) && position(other, salt) < own && ++before >= IN_TURN) {
                return Optional.empty();
            }
        }
        return Optional.of(before < AT_ONCE ? Duration.ZERO : SPACING.multipliedBy(before - AT_ONCE + 1L));
    }

    private static long position(String node, long salt) {
        return mixed(node.hashCode() ^ salt);
    }

    /** Mixes the bits, so that neighbouring numbers end up far apart. */
    private static long mixed(long number) {
        long mixed = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
