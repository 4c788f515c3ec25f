package dev.muster.job;

/**
 * A fence token, which orders the claims of a job. A store of yours should reject writes with a fence below the highest it has
 * seen.
 *
 * @param timeline Muster's own count of servers: it starts as PostgreSQL's timeline, grows when the database fails over, is
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
