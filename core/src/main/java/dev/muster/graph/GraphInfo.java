package dev.muster.graph;

import java.time.Instant;
import java.util.Optional;

/**
 * A graph.
 *
 * @param tasks how many tasks it has
 * @param ended how many of them have ended
 * @param cancelRequested whether it was cancelled as a whole
 * @param reason why it was cancelled
 */
public record GraphInfo(
        GraphId id,
        Optional<String> name,
        Optional<String> key,
        GraphStatus status,
        int tasks,
        int ended,
        boolean cancelRequested,
        Optional<String> reason,
        Instant createdAt,
        Optional<Instant> finishedAt) {

    /** How much of it has ended, in percent. */
    public int progress() {
        return (int) (100L * ended / tasks);
    }
}
