package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Refusal;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How much of bodies is in memory at the same time. JSON that is read takes up to sixty times as much memory as its text, so all bodies together may have
 * as many bytes as a quarter of the heap has room for; or as one body may have, because each has to have room if it is alone. Who comes when
 * there is no room waits for a while. Small bodies do not count.
 */
final class BodyRoom {
    private static final int SMALL = 16 << 10;
    private static final int UNIT = 1 << 10;

    /** The part of the heap that the texts of bodies may have: a quarter, by sixty-four. */
    private static final int PART_OF_HEAP = 256;

    private final Semaphore room;
    private final int all;
    private final Duration patience;

    /** @param patience how long a request waits for room */
    BodyRoom(long maxBody, long heap, Duration patience) {
        this.all = units(Math.max(maxBody, heap / PART_OF_HEAP));
        this.room = new Semaphore(all, true);
        this.patience = patience;
    }

    private static int units(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, bytes / UNIT + 1);
    }

    Share share() {
        return new Share();
    }

    /** What one request takes, until it is closed. */
    final class Share implements AutoCloseable {
        private int taken;

        /** @throws Refusal if there is no room for that many bytes */
        void take(int bytes) {
            if (bytes <= SMALL) {
                return;
            }
            int wanted = Math.min(all, units(bytes));
            try {
                if (!room.tryAcquire(wanted, patience.toNanos(), TimeUnit.NANOSECONDS)) {
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
            room.release(taken);
            taken = 0;
        }
    }
}
