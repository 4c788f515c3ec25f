package dev.muster.function;

import dev.muster.access.Caller;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.Nearest;
import dev.muster.internal.runtime.Plural;
import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateLimit;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A call of a function was refused, or failed. The message is for the caller, and says nothing of the inside. */
public abstract sealed class FunctionException extends MusterException
        permits FunctionException.UnknownFunction,
                FunctionException.NotServed,
                FunctionException.Refused,
                FunctionException.TooManyCalls,
                FunctionException.InvalidArgs,
                FunctionException.Timeout,
                FunctionError,
                FunctionException.Failed,
                FunctionException.Unavailable,
                FunctionException.Conflict,
                FunctionException.CommitUnknown {
    private static final long serialVersionUID = 1L;
    private final String code;

    FunctionException(String code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** One word for programs, such as {@code unknown_function}. */
    public final String code() {
        return code;
    }

    /** There is no function of this name. */
    public static final class UnknownFunction extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "unknown_function";

        public UnknownFunction(String name, Collection<String> known) {
            super(CODE, "there is no function '" + name + "'" + Nearest.suggestion(name, known), null);
        }
    }

    /** This node does not run functions. */
    public static final class NotServed extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "not_served";

        public NotServed(String name) {
            super(
                    CODE,
                    "this node does not run the function '" + name
                            + "', because it does not have the role 'function' (node.roles)",
                    null);
        }
    }

    /** The caller lacks the scope or the role that the function needs, or may not start it by its name. */
    public static final class Refused extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "forbidden";

        private Refused(String message) {
            super(CODE, message, null);
        }

        public static Refused name(String function, Caller caller) {
            return new Refused(
                    "'" + function + "' is not among what '" + caller.name() + "' may start: " + caller.names());
        }

        public static Refused scope(FunctionInfo function, Caller caller) {
            return new Refused("the " + function.kind().text() + " '" + function.name() + "' needs the scope "
                    + function.kind().scope().text() + "; '" + caller.name() + "' has the scope "
                    + caller.scope().text());
        }

        public static Refused role(FunctionInfo function, Caller caller) {
            return new Refused("the " + function.kind().text() + " '" + function.name() + "' needs "
                    + (function.roles().size() == 1 ? "the role " : "one of the roles ")
                    + String.join(", ", new TreeSet<>(function.roles())) + ", and '" + caller.name() + "' has "
                    + (caller.roles().isEmpty()
                            ? "no role"
                            : "only " + String.join(", ", new TreeSet<>(caller.roles()))));
        }
    }

    /** The function's rate limit is used up for now. */
    public static final class TooManyCalls extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "rate_limited";
        private final transient RateLimit limit;
        private final transient Decision decision;

        public TooManyCalls(String function, RateLimit limit, Decision decision) {
            super(
                    CODE,
                    "'" + function + "' may be called " + Plural.of(limit.permits(), "time") + " per "
                            + DurationText.format(limit.window()) + "; call it again in "
                            + DurationText.format(wait(decision)),
                    null);
            this.limit = limit;
            this.decision = decision;
        }

        /** In whole milliseconds, and in whole seconds if it is longer than one: nobody should come too early. */
        private static Duration wait(Decision decision) {
            long millis = decision.retryAfter().plusNanos(999_999).toMillis();
            return Duration.ofMillis(millis < 1_000 ? millis : (millis + 999) / 1_000 * 1_000);
        }

        public RateLimit limit() {
            return limit;
        }

        /** How many calls are left, which is none, and how long to wait for more. */
        public Decision decision() {
            return decision;
        }
    }

    /** The args of a call do not fit the function. The message says where. */
    public static final class InvalidArgs extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "invalid_args";

        public InvalidArgs(String function, String problem, @Nullable Throwable cause) {
            super(CODE, "the args of '" + function + "' do not fit: " + problem, cause);
        }
    }

    /** The call took longer than the function's timeout. Its transaction was rolled back. */
    public static final class Timeout extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "timeout";

        public Timeout(String function, Duration timeout, @Nullable Throwable cause) {
            super(
                    CODE,
                    "'" + function + "' did not end within " + DurationText.format(timeout) + "; it was rolled back",
                    cause);
        }
    }

    /** The handler has thrown something that is not meant for the caller. The log has it, with the id of the request. */
    public static final class Failed extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "failed";

        public Failed(String function, String requestId, Throwable cause) {
            this("'" + function + "' failed; the log of the node has the cause of request " + requestId, cause);
        }

        private Failed(String message, Throwable cause) {
            super(CODE, message, cause);
        }

        /** The handler of a query has tried to write. */
        public static Failed wrote(String function, Throwable cause) {
            return new Failed("'" + function + "' is a query and has tried to write, which a query may not do", cause);
        }
    }

    /** The database did not answer, or the connection broke before the commit. The call's transaction has written nothing. */
    public static final class Unavailable extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "unavailable";

        public Unavailable(String function, Throwable cause) {
            super(CODE, "'" + function + "' could not use the database; its transaction was not committed", cause);
        }
    }

    /** The mutation got in the way of another transaction, as often as it may be repeated, and was rolled back. It can be called again. */
    public static final class Conflict extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "conflict";

        public Conflict(String function, Throwable cause) {
            super(
                    CODE,
                    "'" + function + "' got in the way of another transaction and was rolled back; call it again",
                    cause);
        }
    }

    /** The connection broke during the commit of a mutation: nobody knows whether it was committed. Muster does not repeat it. */
    public static final class CommitUnknown extends FunctionException {
        private static final long serialVersionUID = 1L;
        public static final String CODE = "outcome_unknown";

        public CommitUnknown(String function, Throwable cause) {
            super(
                    CODE,
                    "the connection broke during the commit of '" + function
                            + "': it may or may not have been committed; look before you call it again",
                    cause);
        }
    }
}
