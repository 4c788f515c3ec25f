package dev.muster.internal.function;

import dev.muster.function.CallLimit;
import dev.muster.function.FunctionContext;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionKind;
import dev.muster.function.FunctionLimit;
import dev.muster.function.Isolation;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerMethod;
import dev.muster.ratelimit.RateLimit;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.Set;

/** Reads methods that are annotated with {@link Query} or {@link Mutation}. */
final class FunctionMethods {
    static final HandlerKind<FunctionHandler> QUERIES = new HandlerKind<>(Query.class, FunctionMethods::query);
    static final HandlerKind<FunctionHandler> MUTATIONS = new HandlerKind<>(Mutation.class, FunctionMethods::mutation);

    private FunctionMethods() {}

    private static FunctionHandler query(HandlerMethod method) {
        Query query = method.annotation(Query.class);
        FunctionInfo info = info(
                method,
                FunctionKind.QUERY,
                QueryContext.class,
                query.name(),
                query.roles(),
                query.timeout(),
                query.rateLimit());
        return handler(method, info, QueryContext.class, Isolation.READ_COMMITTED, 1);
    }

    private static FunctionHandler mutation(HandlerMethod method) {
        Mutation mutation = method.annotation(Mutation.class);
        FunctionInfo info = info(
                method,
                FunctionKind.MUTATION,
                MutationContext.class,
                mutation.name(),
                mutation.roles(),
                mutation.timeout(),
                mutation.rateLimit());
        return handler(method, info, MutationContext.class, mutation.isolation(), mutation.retryOnConflict());
    }

    private static FunctionInfo info(
            HandlerMethod method,
            FunctionKind kind,
            Class<? extends FunctionContext> context,
            String name,
            String[] roles,
            String timeout,
            FunctionLimit limit) {
        return new FunctionInfo(
                method.name(name),
                kind,
                Set.of(roles),
                HandlerMethod.duration(timeout),
                limit(limit),
                argsType(method, kind, context),
                method.method().getGenericReturnType());
    }

    private static Optional<CallLimit> limit(FunctionLimit limit) {
        return limit.permits() == 0
                ? Optional.empty()
                : Optional.of(new CallLimit(
                        new RateLimit(limit.permits(), HandlerMethod.duration(limit.per())), limit.key()));
    }

    private static Optional<Type> argsType(
            HandlerMethod method, FunctionKind kind, Class<? extends FunctionContext> context) {
        Type[] types = method.parameters();
        int first = takesContext(method, context) ? 1 : 0;
        if (!method.isInstanceMethod()
                || types.length - first > 1
                || types.length > first
                        && types[first] instanceof Class<?> type
                        && FunctionContext.class.isAssignableFrom(type)) {
            throw new MusterException("a " + kind.text() + " is an instance method that takes a "
                    + context.getSimpleName() + ", or the call's args, or both in that order, or nothing");
        }
        return types.length > first ? Optional.of(types[first]) : Optional.empty();
    }

    private static boolean takesContext(HandlerMethod method, Class<? extends FunctionContext> context) {
        Type[] types = method.parameters();
        return types.length > 0 && (types[0] == context || types[0] == FunctionContext.class);
    }

    private static FunctionHandler handler(
            HandlerMethod method,
            FunctionInfo info,
            Class<? extends FunctionContext> context,
            Isolation isolation,
            int attempts) {
        String where = method.method().getDeclaringClass().getSimpleName() + "."
                + method.method().getName();
        return new FunctionHandler(info, where, isolation, attempts, takesContext(method, context), method.call());
    }
}
