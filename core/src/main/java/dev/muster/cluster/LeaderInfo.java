package dev.muster.cluster;

import java.time.Instant;
import java.util.Optional;

/**
 * The leader of one role, as its row says.
 *
 * @param role the role's name, as in tables and JSON
 * @param node the leader's node; empty after the last leader gave the role up
 * @param expired whether the lease has run out, so that another node may take over
 */
public record LeaderInfo(
        String role,
        Optional<String> node,
        long term,
        long timeline,
        Instant since,
        Instant expiresAt,
        boolean expired) {

    /** Whether a node leads, according to this row. */
    public boolean isHeld() {
        return node.isPresent() && !expired;
    }
}
