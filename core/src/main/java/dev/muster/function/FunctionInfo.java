package dev.muster.function;

import dev.muster.cluster.PublishedFunction;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.function.FunctionHandler;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A registered function.
 *
 * @param roles the roles of which a caller needs one; empty if none is needed
 * @param timeout how long a call may take
 * @param limit how often it may be called
 * @param argsType the type of its args; empty if it takes none
 * @param resultType the type of its result; {@code void} if it has none
 */
public record FunctionInfo(
        String name,
        FunctionKind kind,
        Set<String> roles,
        Duration timeout,
        Optional<CallLimit> limit,
        Optional<Type> argsType,
        Type resultType) {

    public FunctionInfo {
        roles = Set.copyOf(roles);
    }

    /** The name in the keys of its rate limit, as in {@link dev.muster.ratelimit.RateKey#name}. */
    public String rateLimitName() {
        return FunctionHandler.limitName(name);
    }

    /** The function as its node publishes it. */
    public PublishedFunction published() {
        return new PublishedFunction(
                name,
                kind.text(),
                List.copyOf(new TreeSet<>(roles)),
                timeout,
                limit.map(FunctionInfo::words),
                argsType.map(FunctionInfo::words),
                words(resultType));
    }

    private static String words(CallLimit limit) {
        return limit.limit().permits() + " per "
                + DurationText.format(limit.limit().window()) + ", key " + limit.key();
    }

    /** The type without packages. */
    private static String words(Type type) {
        return type.getTypeName().replaceAll("[a-z0-9_]+\\.", "").replace('$', '.');
    }
}
