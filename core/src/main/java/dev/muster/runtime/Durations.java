package dev.muster.runtime;

import java.time.Duration;

/** Compares durations. */
public final class Durations {
    private Durations() {}

    public static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    public static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
