package dev.muster.leader;

import java.util.UUID;

/**
 * One reign: who leads, and the fence of everything written meanwhile.
 *
 * @param timeline Muster's own count of servers, as in {@link dev.muster.job.Fence}: grows at a failover, which may issue the
 *     same term twice
 */
public record LeaderTerm(LeaderRole role, String node, UUID incarnation, long timeline, long term) {}
