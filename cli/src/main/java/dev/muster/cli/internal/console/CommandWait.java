package dev.muster.cli.internal.console;

import dev.muster.internal.runtime.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A command's wait for something that happens without it. It prints on standard error what the command waits for. A user who interrupts the
 * wait is told that what was waited for continues.
 */
public final class CommandWait {
    private final Terminal terminal;
    private final @Nullable Duration limit;
    private final long start = System.nanoTime();

    /** @param limit how long to wait in total; null for no limit */
    public CommandWait(Terminal terminal, @Nullable Duration limit) {
        this.terminal = terminal;
        this.limit = limit;
    }

    /** Asks until the wait is over or the limit is reached, and returns the last answer. */
    @FunctionalInterface
    public interface Asking<T, E extends Exception> {
        T untilOver() throws E;
    }

    public Terminal terminal() {
        return terminal;
    }

    /**
     * Waits, and removes what the terminal shows meanwhile.
     *
     * @param what what is waited for: "run 42 to end"
     * @param goesOn what is said to a user who interrupts the wait
     */
    public <T, E extends Exception> T run(String what, String goesOn, Asking<T, E> asking) throws E {
        terminal.line("muster: waiting for " + what);
        Thread interrupted = new Thread(() -> terminal.line("muster: no longer waiting; " + goesOn));
        Runtime.getRuntime().addShutdownHook(interrupted);
        try {
            return asking.untilOver();
        } finally {
            terminal.clear();
            withdraw(interrupted);
        }
    }

    private static void withdraw(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, so the shutdown hook prints the message.
        }
    }

    public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** How long to wait before asking again: this long, or less if the limit is reached earlier. Zero once it is reached. */
    public Duration next(Duration pause) {
        if (limit == null) {
            return pause;
        }
        Duration left = limit.minus(elapsed());
        return left.isNegative() ? Duration.ZERO : Durations.shorter(left, pause);
    }
}
