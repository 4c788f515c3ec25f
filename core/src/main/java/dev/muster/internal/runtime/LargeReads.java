package dev.muster.internal.runtime;

import dev.muster.runtime.MusterException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * How many requests may read much at the same time. What a page may have is bounded, but it is in memory several times while an answer is made
 * of it, and very many requests may ask for such pages at once.
 *
 * <p>A thread that serves requests says where each of them begins and ends. Other threads are not counted.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class LargeReads {
    /** From how many characters on a read is a large one. */
    private static final long LARGE = 1 << 20;

    /** About how much memory an answer takes that is as large as it may be. */
    private static final long MEMORY_OF_EACH = 128L << 20;

    private static final ThreadLocal<@Nullable Request> CURRENT = new ThreadLocal<>();

    private final int most;
    private final Semaphore places;

    /** A request, and what it has read. Only its thread uses it. */
    private static final class Request {
        private final LargeReads of;
        private long characters;
        private boolean large;

        Request(LargeReads of) {
            this.of = of;
        }
    }

    /** There were as many large reads as there may be. */
    public static final class TooMany extends MusterException {
        private static final long serialVersionUID = 1L;

        TooMany(int most) {
            super("this node reads " + most
                    + " large answers already, for which its heap has room; try again, or ask for smaller pages");
        }
    }

    /** @param most how many requests may read much at the same time */
    public LargeReads(int most) {
        this.most = most;
        this.places = new Semaphore(most);
    }

    /** As many as fit into half of this JVM's heap: bodies and jobs need the rest. */
    public static LargeReads ofHeap() {
        return new LargeReads((int)
                Math.max(1, Math.min(10_000, Runtime.getRuntime().maxMemory() / 2 / MEMORY_OF_EACH)));
    }

    /** What this thread reads from now on belongs to one request, until {@link #end}. */
    public void begin() {
        CURRENT.set(new Request(this));
    }

    /** The request's answer needs its memory no more. */
    public static void end() {
        Request request = CURRENT.get();
        CURRENT.remove();
        if (request != null && request.large) {
            request.of.places.release();
        }
    }

    /**
     * Counts what was read for the request of this thread, if there is one.
     *
     * @throws TooMany if it has become much, and others read as much already
     */
    public static void count(long characters) {
        Request request = CURRENT.get();
        if (request == null || request.large) {
            return;
        }
        request.characters += characters;
        if (request.characters > LARGE) {
            if (!request.of.places.tryAcquire()) {
                throw new TooMany(request.of.most);
            }
            request.large = true;
        }
    }
}
