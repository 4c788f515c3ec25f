package dev.muster.internal.worker;

import java.time.Duration;

/** Takes claims from an executor's buffer and has them run in its slots. It ends when the buffer is closed. */
interface SlotFeeder {
    void start();

    /** The buffer is closed, and no claim is open any more: frees what it holds. */
    default void close(Duration timeout) {}
}
