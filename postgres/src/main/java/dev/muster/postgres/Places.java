package dev.muster.postgres;

import dev.muster.job.ClaimRef;
import dev.muster.job.Outcome;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the rows of this node's claims stood in their table when they were claimed. Only a hint: most jobs are
 * over before anything else is written about them, and their rows are then found without their index. Whoever
 * writes to a claimed row forgets its place; a write of another node's goes unseen, and the hint misses.
 */
final class Places {
    /** Claims that were lost leave their places behind; start over rather than keep them for ever. */
    private static final int MAX_REMEMBERED = 100_000;

    private final ConcurrentHashMap<Long, Long> byToken = new ConcurrentHashMap<>();

    void remember(long token, long place) {
        if (byToken.size() >= MAX_REMEMBERED) {
            byToken.clear();
        }
        byToken.put(token, place);
    }

    void forget(Collection<ClaimRef> claims) {
        claims.forEach(claim -> byToken.remove(claim.token()));
    }

    /** The places of all these outcomes' rows, or null if some are not known; forgets them. */
    long @Nullable [] take(List<Outcome> outcomes) {
        long[] places = new long[outcomes.size()];
        boolean all = true;
        for (int i = 0; i < places.length; i++) {
            Long place = byToken.remove(outcomes.get(i).claim().token());
            all &= place != null;
            places[i] = place == null ? 0 : place;
        }
        return all && places.length > 0 ? places : null;
    }
}
