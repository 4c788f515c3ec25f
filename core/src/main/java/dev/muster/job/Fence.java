package dev.muster.job;

/**
 * Orders claims of a job for the user's own stores: accept a write only if its fence is not below
 * the highest seen. The timeline grows when the database fails over, the token with every claim.
 */
public record Fence(long timeline, long token) implements Comparable<Fence> {

    @Override
    public int compareTo(Fence other) {
        int byTimeline = Long.compare(timeline, other.timeline);
        return byTimeline != 0 ? byTimeline : Long.compare(token, other.token);
    }
}
