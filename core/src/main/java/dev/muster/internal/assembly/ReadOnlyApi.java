package dev.muster.internal.assembly;

import dev.muster.runtime.ObserverRefusal;
import dev.muster.runtime.Writes;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The APIs of an observer: a method that {@linkplain Writes writes} is refused, and all others reach the API itself. */
final class ReadOnlyApi {
    private ReadOnlyApi() {}

    /** Returns the API itself if none of its methods write. */
    static <T> T of(Class<T> type, T api) {
        return writes(type)
                ? ApiProxy.of(type, "the read-only " + type.getSimpleName(), (method, args) -> call(api, method, args))
                : api;
    }

    private static boolean writes(Class<?> type) {
        return type.isInterface()
                && Arrays.stream(type.getMethods()).anyMatch(method -> method.isAnnotationPresent(Writes.class));
    }

    private static @Nullable Object call(Object api, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        @Nullable Writes writes = method.getAnnotation(Writes.class);
        if (writes != null) {
            throw new ObserverRefusal(writes.value());
        }
        Object result = ApiProxy.pass(api, method, args);
        return result == null ? null : readOnly(method.getReturnType(), result);
    }

    /** What a reading method returns may be an API, too, such as the keys as a caller uses them. */
    private static <T> Object readOnly(Class<T> type, Object result) {
        return type.isPrimitive() ? result : of(type, type.cast(result));
    }
}
