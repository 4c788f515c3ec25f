package dev.muster.cluster;

import java.time.Instant;
import java.util.Optional;

/**
 * A leader as its row says.
 *
 * @param role the word for what it leads
 * @param node empty after the last leader gave it up
 * @param expired whether the row is no longer valid: anyone may take over
 */
public record LeaderInfo(
        String role,
        Optional<String> node,
        long term,
        long timeline,
        Instant since,
        Instant expiresAt,
        boolean expired) {

    /** Whether someone leads by this row. */
    public boolean isHeld() {
        return node.isPresent() && !expired;
    }
}
