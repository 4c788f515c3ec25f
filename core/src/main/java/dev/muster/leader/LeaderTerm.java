package dev.muster.leader;

import java.util.UUID;

/**
 * One term of a leader: which node leads, and the fence token for everything it writes.
 *
 * @param timeline Muster's own count of servers, as in {@link dev.muster.job.Fence}. It grows at a failover, after which the same
 *     term number may be issued again
 */
public record LeaderTerm(LeaderRole role, String node, UUID incarnation, long timeline, long term) {}
