package dev.muster.internal.runtime;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The turn that a request takes while the functions that it calls use connections to the database. A gateway says for each request how it takes its
 * turn; a function that never asks for a connection takes none. Functions that call each other have one turn together: otherwise the one would
 * hold what the other one waits for.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class ConnectionTurn {
    private static final ThreadLocal<@Nullable ConnectionTurn> CURRENT = new ThreadLocal<>();

    private final Turn turn;
    private int users;

    /** How the turn is taken. */
    public interface Turn {
        /**
         * Waits for the turn; {@link #end} must follow.
         *
         * @throws RuntimeException if it does not come in time; {@link #end} must not follow then
         */
        void begin();

        void end();
    }

    private ConnectionTurn(Turn turn) {
        this.turn = turn;
    }

    /** Connections that functions use during this work on this thread are used in this turn. */
    public static <T> T during(Turn turn, Supplier<T> work) {
        ConnectionTurn before = CURRENT.get();
        CURRENT.set(new ConnectionTurn(turn));
        try {
            return work.get();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** The turn of the request of this thread; null if it takes none. */
    public static @Nullable ConnectionTurn current() {
        return CURRENT.get();
    }

    /** Waits for the turn, unless the request has it; {@link #end} must follow. */
    public synchronized void begin() {
        if (users == 0) {
            turn.begin();
        }
        users++;
    }

    /** Ends the turn with its last user. */
    public synchronized void end() {
        users--;
        if (users == 0) {
            turn.end();
        }
    }
}
