package dev.muster.spring.internal;

import dev.muster.Muster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the application's Muster as beans of their own, such as {@code Jobs}. Each call goes to the Muster, which is built with the
 * first one if it was not before: so beans that Muster itself needs, such as a {@code JobListener}, may use them.
 */
public final class MusterApis {
    private final Supplier<Muster> muster;

    /** @param muster returns the one Muster of the application */
    public MusterApis(Supplier<Muster> muster) {
        this.muster = muster;
    }

    /**
     * @param type an interface
     * @param part what receives the calls
     */
    public <T> T of(Class<T> type, Function<Muster, T> part) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) -> method.getDeclaringClass() == Object.class
                        ? ownMethod(self, type, method, args)
                        : call(part.apply(muster.get()), method, args)));
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Methods of Object work on the bean itself, so that printing it builds nothing. */
    private static Object ownMethod(Object self, Class<?> type, Method method, @Nullable Object @Nullable [] args) {
        return switch (method.getName()) {
            case "equals" -> args != null && self == args[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> "the " + type.getSimpleName() + " of the application's Muster";
        };
    }
}
