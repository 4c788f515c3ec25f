package dev.muster.internal.function;

import dev.muster.function.FunctionContext;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionKind;
import dev.muster.function.Isolation;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.node.HandlerMethod.Call;
import dev.muster.internal.runtime.Names;
import dev.muster.ratelimit.RateKey;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A function and the method that runs it.
 *
 * @param where the method's name, for messages
 * @param isolation of its transaction
 * @param attempts how many times it is run at most if the database refuses its transaction
 */
public record FunctionHandler(
        FunctionInfo info, String where, Isolation isolation, int attempts, boolean takesContext, Call call) {
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final int MOST_ATTEMPTS = 100;

    public FunctionHandler {
        Names.require("function name", info.name());
        if (info.timeout().compareTo(Duration.ofMillis(1)) < 0 || info.timeout().compareTo(LONGEST) > 0) {
            throw new MusterException(
                    "the timeout of a function is 1 ms to 1 day, not " + DurationText.format(info.timeout()));
        }
        if (attempts < 1 || attempts > MOST_ATTEMPTS) {
            throw new MusterException("retryOnConflict is 1 (no repetition) to " + MOST_ATTEMPTS + ", not " + attempts);
        }
        if (info.roles().stream().anyMatch(String::isBlank)) {
            throw new MusterException("a role must not be blank");
        }
        if (info.limit().isPresent()) {
            // The name of the limit is longer than that of the function; better told now than to the first caller.
            RateKey.global(limitName(info.name()));
        }
    }

    String name() {
        return info.name();
    }

    boolean isMutation() {
        return info.kind() == FunctionKind.MUTATION;
    }

    /** The name of the function's rate limit. */
    public static String limitName(String function) {
        return "function:" + function;
    }

    @Nullable
    Object run(FunctionContext context, @Nullable Object args) throws Exception {
        boolean takesArgs = info.argsType().isPresent();
        if (takesContext) {
            return takesArgs ? call.invoke(context, args) : call.invoke(context);
        }
        return takesArgs ? call.invoke(args) : call.invoke();
    }
}
