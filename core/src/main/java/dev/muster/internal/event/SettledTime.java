package dev.muster.internal.event;

import dev.muster.internal.event.EventStore.Horizon;
import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The moment before which no job ends any more: whoever ended one has committed or given up.
 *
 * <p>A transaction has its number before it reads the clock for {@code finished_at}. So once all transactions are over that were open at an
 * earlier reading, whatever has ended before that reading can be seen. Nothing but transactions that stay open bounds how long that takes;
 * {@link EndedJobsFeed} does not wait for them forever. Not thread-safe.
 */
final class SettledTime {
    private @Nullable Instant settled;

    /** The earlier reading, and the transactions that were open then. */
    private @Nullable Instant awaited;

    private Set<Long> openThen = Set.of();

    /** Takes another reading, and returns the moment; null if none is known. */
    @Nullable
    Instant advance(Horizon now) {
        if (now.open().isEmpty()) {
            settled = null;
            awaited = null;
            return null;
        }
        Set<Long> open = now.open().get();
        if (open.isEmpty()) {
            settled = now.at();
            awaited = null;
        } else if (awaited == null) {
            awaited = now.at();
            openThen = open;
        } else if (Collections.disjoint(openThen, open)) {
            settled = awaited;
            awaited = now.at();
            openThen = open;
        }
        return settled;
    }
}
