package dev.muster.internal.runtime;

import java.util.function.Supplier;

/**
 * Makes what the current thread reads as fresh as what it has written: while {@link #during} runs, the store reads on the primary, even if
 * {@code database.read_url} names a standby, which may not have the caller's own change yet.
 */
public final class FreshReads {
    private static final ThreadLocal<Boolean> WANTED = new ThreadLocal<>();

    private FreshReads() {}

    /** Runs the work, whose reads are fresh. */
    public static <T> T during(Supplier<T> work) {
        if (wanted()) {
            return work.get();
        }
        WANTED.set(true);
        try {
            return work.get();
        } finally {
            WANTED.remove();
        }
    }

    /** Whether the current thread wants fresh reads. */
    public static boolean wanted() {
        return WANTED.get() != null;
    }
}
