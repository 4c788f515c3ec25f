package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.runtime.FairShares;
import java.time.Duration;

/**
 * How much of bodies is read at the same time. JSON that is read takes up to sixty times as much memory as its text, so all bodies together may have
 * as many bytes as a quarter of the heap has room for; or as one body may have, because each has to have room if it is alone. Who comes when
 * there is no room waits for a while, behind those who have less of it. Small bodies do not count.
 */
final class BodyRoom {
    private static final int SMALL = 16 << 10;

    /** The part of the heap that the texts of bodies may have: a quarter, by sixty-four. */
    private static final int PART_OF_HEAP = 256;

    private final FairShares room;
    private final long all;
    private final Duration patience;

    /** @param patience how long a request waits for room */
    BodyRoom(long maxBody, long heap, Duration patience) {
        this.all = Math.max(maxBody, heap / PART_OF_HEAP);
        this.room = new FairShares(all, Integer.MAX_VALUE);
        this.patience = patience;
    }

    /** Whether a body takes no room. */
    static boolean isSmall(int bytes) {
        return bytes <= SMALL;
    }

    Share share(String caller) {
        return new Share(caller);
    }

    /** How many requests wait for room. */
    int waiting() {
        return room.waiting();
    }

    /** What one request takes, until it is closed. */
    final class Share implements AutoCloseable {
        private final String caller;
        private long taken;

        private Share(String caller) {
            this.caller = caller;
        }

        /** @throws Refusal if there is no room for that many bytes */
        void take(int bytes) {
            if (isSmall(bytes)) {
                return;
            }
            long wanted = Math.min(all, bytes);
            try {
                if (!room.take(caller, taken, wanted, patience, () -> {})) {
                    throw Refusal.unavailable(
                            "busy",
                            "this node reads so many large bodies already that its heap has no room for another one");
                }
                taken += wanted;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Refusal.unavailable("busy", "this node is stopping");
            }
        }

        @Override
        public void close() {
            room.giveBack(caller, taken);
            taken = 0;
        }
    }
}
