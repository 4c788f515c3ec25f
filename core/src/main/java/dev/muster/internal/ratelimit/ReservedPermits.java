package dev.muster.internal.ratelimit;

import dev.muster.internal.ratelimit.RateLimitStore.Ask;
import dev.muster.internal.ratelimit.RateLimitStore.Taken;
import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one key that this node holds.
 *
 * <pre>
 *   nothing held ── ask ──▶ block of the current window ── served until usableUntil ──▶ ask whether the window is still on
 *        ▲                                                                                │ yes: the block is kept
 *        └──────────────────── no: what is left of it is void ────────────────────────────┘
 * </pre>
 *
 * One thread asks at a time, and those that wait for it are served from what it gets. The package description says why a block is usable
 * until {@code usableUntil}.
 */
final class ReservedPermits {
    /** A window is given out in this many blocks. */
    private static final int BLOCKS = 20;

    /** How different the speeds of the database's clock and of this node's may be, as a part of the time that is measured. */
    private static final long DRIFT = 1_000;

    private static final long LEAST_MARGIN = TimeUnit.MILLISECONDS.toNanos(1);

    private final RateLimitStore store;
    private final Clock clock;
    private final RateKey key;
    private final RateLimit limit;
    private final ReentrantLock asking = new ReentrantLock();
    private final AtomicLong permitsWaitedFor = new AtomicLong();
    private final AtomicReference<Block> held;

    ReservedPermits(RateLimitStore store, Clock clock, RateKey key, RateLimit limit) {
        this.store = store;
        this.clock = clock;
        this.key = key;
        this.limit = limit;
        long now = clock.nanos();
        this.held = new AtomicReference<>(new Block(Instant.MIN, 0, 0, now, now));
    }

    /**
     * What this node holds of a window.
     *
     * @param left permits that this node may still give out
     * @param elsewhere permits that the database had left when it was last asked; it never has more in the same window
     * @param usableUntil before this moment the window has certainly not ended
     * @param overFrom from this moment on it certainly has
     */
    private record Block(Instant window, int left, int elsewhere, long usableUntil, long overFrom) {
        boolean isUsable(long now) {
            return usableUntil - now > 0;
        }

        boolean isOver(long now) {
            return overFrom - now <= 0;
        }

        Block without(int permits) {
            return new Block(window, left - permits, elsewhere, usableUntil, overFrom);
        }
    }

    Decision tryAcquire(int permits) {
        Decision decision = fromBlock(permits);
        return decision != null ? decision : waitAndAsk(permits);
    }

    /** Null if the database has to be asked. */
    private @Nullable Decision fromBlock(int permits) {
        while (true) {
            Block block = held.get();
            long now = clock.nanos();
            int known = block.left() + block.elsewhere();
            if (!block.isUsable(now) || block.left() < permits && known >= permits) {
                return null;
            }
            if (known < permits) {
                return Decision.refuse(known, Duration.ofNanos(block.overFrom() - now));
            }
            if (held.compareAndSet(block, block.without(permits))) {
                // Only now is it certain that the permits were taken in time: this thread may have been stopped
                // meanwhile.
                return block.isUsable(clock.nanos()) ? Decision.allow(known - permits) : null;
            }
        }
    }

    private Decision waitAndAsk(int permits) {
        permitsWaitedFor.addAndGet(permits);
        asking.lock();
        try {
            // The thread that asked before this one may have got enough for both.
            Decision decision = fromBlock(permits);
            while (decision == null) {
                decision = ask(permits);
            }
            return decision;
        } finally {
            asking.unlock();
            permitsWaitedFor.addAndGet(-permits);
        }
    }

    /** Null if it has to be asked again: the window has changed, or another thread was faster. */
    private @Nullable Decision ask(int permits) {
        Block before = held.get();
        long sentAt = clock.nanos();
        int own = before.isOver(sentAt) ? 0 : before.left();
        int need = Math.max(0, permits - own);
        Taken taken = store.take(new Ask(key, limit, need, need == 0 ? 0 : wanted(need)));
        long answeredAt = clock.nanos();
        long left = taken.left().toNanos();
        long margin = left / DRIFT + LEAST_MARGIN;
        while (true) {
            Block block = held.get();
            int all = taken.granted() + (block.window().equals(taken.window()) ? block.left() : 0);
            // The database has just said that the window is on, so the permits are good for this call whatever time it
            // took.
            boolean enough = all >= permits;
            Block next = new Block(
                    taken.window(),
                    enough ? all - permits : all,
                    taken.remaining(),
                    sentAt + left - margin,
                    answeredAt + left + margin);
            if (held.compareAndSet(block, next)) {
                int known = next.left() + next.elsewhere();
                if (enough) {
                    return Decision.allow(known);
                }
                return need > 0 && taken.granted() == 0 ? Decision.refuse(known, taken.left()) : null;
            }
        }
    }

    /** A block, or what the waiting threads need if that is more. */
    private int wanted(int need) {
        int block = Math.max(1, limit.permits() / BLOCKS);
        long waitedFor = Math.min(permitsWaitedFor.get(), limit.permits());
        return Math.max(need, Math.max(block, (int) waitedFor));
    }
}
