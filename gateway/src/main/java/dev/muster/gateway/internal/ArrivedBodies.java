package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.runtime.FairShares;

/**
 * How many bytes of bodies have arrived and are in memory, whether they are read yet or not: together an eighth of the heap, or as many as two bodies may
 * have, because one of them alone is not all. They are counted while they arrive, and what was merely announced is not. A body for which nothing is
 * left is refused and does not wait, because others wait for the part of it that has arrived. Small bodies do not count.
 */
final class ArrivedBodies {
    private static final int PART_OF_HEAP = 8;

    private final FairShares bytes;

    ArrivedBodies(long maxBody, long heap) {
        this.bytes = new FairShares(Math.max(2 * maxBody, heap / PART_OF_HEAP), 0);
    }

    Share share(String caller) {
        return new Share(caller);
    }

    /** How many more bytes may arrive. */
    long free() {
        return bytes.free();
    }

    /** The body of one request, until it is closed. */
    final class Share implements AutoCloseable {
        private final String caller;
        private long taken;

        private Share(String caller) {
            this.caller = caller;
        }

        /**
         * Says that the body takes that much memory now.
         *
         * @throws Refusal if that is more than there is for this caller
         */
        void growTo(int size) {
            if (BodyRoom.isSmall(size) || size <= taken) {
                return;
            }
            if (!bytes.takeNow(caller, taken, size - taken)) {
                throw Refusal.unavailable(
                                "busy",
                                "so many large bodies have arrived at this node already that its heap has no room for another one")
                        .header("Connection", "close");
            }
            taken = size;
        }

        @Override
        public void close() {
            bytes.giveBack(caller, taken);
            taken = 0;
        }
    }
}
