package dev.muster.internal.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a child writes to one of its outputs: either the beginning or the end of it, up to a limit. Everything is read, so that the child is
 * never blocked, and what is beyond the limit is forgotten.
 */
final class Collected {
    private final int limit;
    private final boolean keepsEnd;
    private byte[] kept = new byte[8_192];
    private int length;
    private long total;

    private Collected(int limit, boolean keepsEnd) {
        this.limit = limit;
        this.keepsEnd = keepsEnd;
    }

    static Collected beginning(int limit) {
        return new Collected(limit, false);
    }

    static Collected end(int limit) {
        return new Collected(limit, true);
    }

    /** Reads until the end of the stream. */
    void readAll(InputStream in) {
        byte[] buffer = new byte[8_192];
        try {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                add(buffer, n);
            }
        } catch (IOException e) {
            // The child has ended, and its end of the pipe with it.
        }
    }

    private synchronized void add(byte[] bytes, int count) {
        total += count;
        // The end gets twice its limit as room, so that it is moved once for many reads.
        int room = keepsEnd ? 2 * limit + bytes.length : limit;
        int added = keepsEnd ? count : Math.min(count, limit - length);
        if (length + added > kept.length) {
            kept = Arrays.copyOf(kept, Math.min(room, Math.max(length + added, 2 * kept.length)));
        }
        System.arraycopy(bytes, 0, kept, length, added);
        length += added;
        if (keepsEnd && length > 2 * limit) {
            System.arraycopy(kept, length - limit, kept, 0, limit);
            length = limit;
        }
    }

    /** How many bytes were read so far. */
    synchronized long total() {
        return total;
    }

    /** Whether there was more than the limit. */
    synchronized boolean isCut() {
        return total > limit;
    }

    /** The text, without a character of which only a part was kept. */
    synchronized String text() {
        int start = keepsEnd ? Math.max(0, length - limit) : 0;
        if (keepsEnd && total > limit) {
            // The bytes of a character after its first one.
            while (start < length && (kept[start] & 0xC0) == 0x80) {
                start++;
            }
        }
        return new String(kept, start, length - start, StandardCharsets.UTF_8);
    }
}
