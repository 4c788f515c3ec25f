package dev.muster.client;

import dev.muster.internal.runtime.PollingWait;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** How a client waits: it asks again and again, after 100 ms at first and after 2 s in the end. */
final class Polling {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private Polling() {}

    static <T> T until(String what, Duration timeout, Predicate<T> over, Supplier<T> question) {
        return new PollingWait(what, timeout, Clock.system(), FIRST_PAUSE, LONGEST_PAUSE).until(over, question);
    }
}
