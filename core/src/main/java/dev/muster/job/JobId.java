package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;

/** A job's identity: a UUID of version 7, made by whoever enqueues, so that an enqueue can be repeated. */
public record JobId(UUID value) implements Comparable<JobId> {
    private static final Sequence SEQUENCE = new Sequence();

    /** A new id. Ids of one process ascend, which keeps the primary key's index compact. */
    public static JobId next() {
        return new JobId(SEQUENCE.next());
    }

    /** The id that a UUID stands for. */
    public static JobId of(UUID value) {
        return new JobId(value);
    }

    /**
     * The id whose text form this is: what {@link #toString} gives.
     *
     * @throws MusterException if it is anything else
     */
    public static JobId of(String text) {
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return new JobId(id);
            }
        } catch (IllegalArgumentException e) {
            throw notAnId(text);
        }
        throw notAnId(text);
    }

    private static MusterException notAnId(String text) {
        return new MusterException(
                "'" + text + "' is not a job id; one looks like 0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");
    }

    @Override
    public int compareTo(JobId other) {
        int high = Long.compareUnsigned(value.getMostSignificantBits(), other.value.getMostSignificantBits());
        return high != 0
                ? high
                : Long.compareUnsigned(value.getLeastSignificantBits(), other.value.getLeastSignificantBits());
    }

    @Override
    public String toString() {
        return value.toString();
    }

    /** Milliseconds and a counter in the high half, random in the low one. The wall clock only sorts; nothing relies on it. */
    private static final class Sequence {
        private static final int COUNTER_LIMIT = 0x1000;
        private static final int BUFFERED_BYTES = 4_096;
        private final SecureRandom random = new SecureRandom();
        private final ByteBuffer bits = ByteBuffer.allocate(BUFFERED_BYTES).limit(0);
        private long millis;
        private int counter;

        synchronized UUID next() {
            long now = System.currentTimeMillis();
            if (now > millis) {
                millis = now;
                counter = 0;
            } else if (++counter == COUNTER_LIMIT) {
                millis++;
                counter = 0;
            }
            long high = millis << 16 | 0x7000L | counter;
            long low = randomLong() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
            return new UUID(high, low);
        }

        /** Draws many at a time: asking the system for each costs more than the rest of an id. */
        private long randomLong() {
            if (!bits.hasRemaining()) {
                random.nextBytes(bits.array());
                bits.clear();
            }
            return bits.getLong();
        }
    }
}
