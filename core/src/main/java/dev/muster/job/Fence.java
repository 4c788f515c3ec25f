package dev.muster.job;

/**
 * Orders claims of a job for the user's own stores: accept a write only if its fence is not below
 * the highest seen.
 *
 * @param timeline Muster's own count of servers: starts as PostgreSQL's timeline, grows when the database fails over, is
 *     upgraded or restored, and never goes back
 * @param token grows with every claim
 */
public record Fence(long timeline, long token) implements Comparable<Fence> {

    @Override
    public int compareTo(Fence other) {
        int byTimeline = Long.compare(timeline, other.timeline);
        return byTimeline != 0 ? byTimeline : Long.compare(token, other.token);
    }
}
