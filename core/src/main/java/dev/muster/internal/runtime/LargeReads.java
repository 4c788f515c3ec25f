package dev.muster.internal.runtime;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How many requests may read much at the same time. What a page may have is bounded, but it is in memory several times while an answer is made
 * of it, and very many requests may ask for such pages at once. There are places for large answers, and more of them for those of medium size; an answer of
 * ordinary size needs none.
 *
 * <p>A place is kept until the answer is sent. One caller gets no more places than are left for others once few are left, and who finds none waits. Whoever takes
 * long to read an answer loses it when another caller waits for its place: it decides how long the answer stays in memory, and may want to stay for very long.
 *
 * <p>A thread that serves requests says where each of them begins, where its answer is sent, and where it ends. Other threads are not counted.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class LargeReads {
    /** From how many characters on a read is one of medium size: more than nearly all jobs and pages have. */
    private static final long MEDIUM = 128 << 10;

    /** From how many characters on a read is a large one. */
    private static final long LARGE = 1 << 20;

    /** About how much memory an answer takes that is as large as it may be. */
    private static final long MEMORY_OF_LARGE = 128L << 20;

    /** About how much memory an answer takes that is nearly large. */
    private static final long MEMORY_OF_MEDIUM = 4L << 20;

    private static final ThreadLocal<@Nullable Request> CURRENT = new ThreadLocal<>();

    private final Size medium;
    private final Size large;
    private final Duration patience;
    private final Duration timeToSend;

    /** Answers of about the same size. */
    private static final class Size {
        private final int most;
        private final FairShares places;

        /** Requests whose answers are being sent; the one that has begun first comes first. Guarded by itself. */
        private final Set<Request> sending = new LinkedHashSet<>();

        Size(int most, int mostWaiting) {
            this.most = most;
            this.places = new FairShares(most, mostWaiting);
        }
    }

    /** A request, and what it has read. */
    private static final class Request {
        private final LargeReads of;
        private final String caller;
        private final boolean waits;
        private final Thread thread = Thread.currentThread();
        private long characters;
        private @Nullable Size size;

        /** From when on its answer is sent, and whether that was ended; only for those who are in {@link Size#sending}, and guarded by that. */
        private long since;

        private boolean ended;

        Request(LargeReads of, String caller, boolean waits) {
            this.of = of;
            this.caller = caller;
            this.waits = waits;
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

    /**
     * @param mostLarge how many requests may read much at the same time
     * @param mostMedium how many requests may read less than that, but more than is usual
     * @param mostWaiting how many may wait for a place of either kind
     * @param patience how long a request waits for a place
     * @param timeToSend how long sending an answer may take while others wait for its place
     */
    public LargeReads(int mostLarge, int mostMedium, int mostWaiting, Duration patience, Duration timeToSend) {
        this.large = new Size(mostLarge, mostWaiting);
        this.medium = new Size(mostMedium, mostWaiting);
        this.patience = patience;
        this.timeToSend = timeToSend;
    }

    /**
     * As many large ones as fit into half of this JVM's heap, and as many of medium size as fit into an eighth: bodies and jobs need the rest. Whoever
     * waits finds that an answer which takes half of that time to send is ended.
     */
    public static LargeReads ofHeap(int mostWaiting, Duration patience) {
        long heap = Runtime.getRuntime().maxMemory();
        return new LargeReads(
                places(heap / 2 / MEMORY_OF_LARGE),
                places(heap / 8 / MEMORY_OF_MEDIUM),
                mostWaiting,
                patience,
                patience.dividedBy(2));
    }

    private static int places(long fit) {
        return (int) Math.max(1, Math.min(10_000, fit));
    }

    /**
     * What this thread reads from now on belongs to one request, until {@link #end}.
     *
     * @param caller who gets a share of the places
     * @param waits whether it waits if there is no place. It must hold nothing then that somebody who has a place may need
     */
    public void begin(String caller, boolean waits) {
        CURRENT.set(new Request(this, caller, waits));
    }

    /** Whether the request of this thread has a place, which others may wait for. */
    public static boolean hasPlace() {
        Request request = CURRENT.get();
        return request != null && request.size != null;
    }

    /** From now on the request of this thread does nothing but send its answer. If others wait and that takes too long, the thread is interrupted. */
    public static void sending() {
        Request request = CURRENT.get();
        if (request != null && request.size != null) {
            synchronized (request.size.sending) {
                request.since = System.nanoTime();
                request.size.sending.add(request);
            }
        }
    }

    /** The request's answer needs its memory no more. */
    public static void end() {
        Request request = CURRENT.get();
        CURRENT.remove();
        if (request != null) {
            leave(request);
        }
    }

    private static void leave(Request request) {
        Size size = request.size;
        if (size == null) {
            return;
        }
        synchronized (size.sending) {
            size.sending.remove(request);
            if (request.ended) {
                // It was meant for this request. The thread will serve others.
                Thread.interrupted();
            }
        }
        request.size = null;
        size.places.giveBack(request.caller, 1);
    }

    /**
     * Counts what was read for the request of this thread, if there is one.
     *
     * @throws TooMany if it has become much, and others read as much already
     */
    public static void count(long characters) {
        Request request = CURRENT.get();
        if (request == null) {
            return;
        }
        request.characters += characters;
        if (request.characters > LARGE) {
            enter(request, request.of.large);
        } else if (request.characters > MEDIUM) {
            enter(request, request.of.medium);
        }
    }

    /** Nobody waits for one place while it has another one. */
    private static void enter(Request request, Size size) {
        if (request.size == size) {
            return;
        }
        leave(request);
        if (!request.of.take(request, size)) {
            throw new TooMany(size.most);
        }
        request.size = size;
    }

    private boolean take(Request request, Size size) {
        if (!request.waits) {
            return size.places.takeNow(request.caller, 0, 1);
        }
        try {
            return size.places.take(request.caller, 0, 1, patience, () -> endSlow(size, request.caller));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends the answer of another caller that has been sent for longest, if that is too long; one at a time, because there may be one waiting. */
    private void endSlow(Size size, String waiting) {
        long now = System.nanoTime();
        synchronized (size.sending) {
            for (Request request : size.sending) {
                if (!request.caller.equals(waiting) && now - request.since >= timeToSend.toNanos()) {
                    boolean first = !request.ended;
                    request.ended = true;
                    request.thread.interrupt();
                    if (first) {
                        return;
                    }
                }
            }
        }
    }
}
