package dev.muster.internal.assembly;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** An implementation of an interface that decides for each call what becomes of it. */
final class ApiProxy {
    private ApiProxy() {}

    /** Receives all calls except those of the methods of Object, which work on the proxy itself. */
    @FunctionalInterface
    interface Receiver {
        @Nullable
        Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable;
    }

    /** @param name what {@code toString} returns */
    static <T> T of(Class<T> type, String name, Receiver receiver) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) -> method.getDeclaringClass() == Object.class
                        ? ownMethod(self, name, method, args)
                        : receiver.call(method, args)));
    }

    /** Calls the method on this object, and throws what it throws. */
    static @Nullable Object pass(Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object ownMethod(Object self, String name, Method method, @Nullable Object @Nullable [] args) {
        return switch (method.getName()) {
            case "equals" -> args != null && self == args[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> name;
        };
    }
}
