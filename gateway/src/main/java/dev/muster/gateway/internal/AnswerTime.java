package dev.muster.gateway.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long the client of a connection may still take for its answers: a limit, and a second for each {@value #BYTES_PER_SECOND} bytes.
 *
 * <p>Answers to requests that were sent one behind the other share the limit, until the connection waits for a request again. Otherwise
 * somebody who has sent thousands of them could take each answer just in time.
 *
 * <p>One thread at a time calls what changes it; any thread may ask.
 */
final class AnswerTime {
    /** How fast an answer has to be taken at least. */
    private static final int BYTES_PER_SECOND = 32 << 10;

    private static final long NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / BYTES_PER_SECOND;

    private final long limit;
    private long left;
    private volatile long answerBy;
    private volatile boolean answering;
    private volatile boolean refusing;

    AnswerTime(long limitNanos) {
        this.limit = limitNanos;
        this.left = limitNanos;
    }

    /**
     * From now on the client has to take an answer.
     *
     * @param refusal whether the client loses nothing if it does not get it
     */
    void begin(long now, int bytes, boolean refusal) {
        end(now);
        left += bytes * NANOS_PER_BYTE;
        answerBy = now + left;
        refusing = refusal;
        answering = true;
    }

    /** The client has taken the answer, if there was one. */
    void end(long now) {
        if (answering) {
            answering = false;
            left = Math.min(limit, answerBy - now);
        }
    }

    /** All requests that have come are answered. */
    void renew() {
        answering = false;
        left = limit;
    }

    boolean isOver(long now) {
        return answering && now - answerBy > 0;
    }

    /** Whether the client has been slow for so long with an answer that it can do without. */
    boolean canBeEnded(long now, Duration slowFor) {
        return answering && refusing && limit - (answerBy - now) > slowFor.toNanos();
    }

    /** Until when the answer has to be taken, on the clock of whoever calls. */
    long left(long now) {
        return answerBy - now;
    }
}
