package dev.muster;

import dev.muster.runtime.MusterException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a builder's {@code jobs()}, {@code locks()} and the like return: handlers take them before the Muster exists, and use
 * them afterwards. Each call goes to the Muster that was built; a call before that is refused in words.
 */
final class AfterBuild {
    private volatile @Nullable Muster muster;
    private volatile boolean handedOut;

    /** @throws MusterException if a Muster was built and stand-ins lead to it, which a second one would redirect */
    void checkNotBuilt() {
        if (handedOut && muster != null) {
            throw new MusterException(
                    "build() was called a second time on a builder whose jobs(), locks() or the like were"
                            + " handed out: they belong to the Muster that was built first; make another builder, with handlers"
                            + " of its own");
        }
    }

    void built(Muster built) {
        muster = built;
    }

    /**
     * @param name the method of the builder that was called, as the error should call it
     * @param part what the calls are handed on to
     */
    <T> T of(Class<T> type, String name, Function<Muster, T> part) {
        handedOut = true;
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) -> method.getDeclaringClass() == Object.class
                        ? ownMethod(self, name, method, args)
                        : call(part.apply(muster(name, method)), method, args)));
    }

    private Muster muster(String name, Method method) {
        Muster built = muster;
        if (built == null) {
            throw new MusterException(name + "." + method.getName() + " was called before this Muster was built;"
                    + " what the builder's " + name + " returns can be used once build() has returned: in handlers,"
                    + " and in MusterApp.started");
        }
        return built;
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** They are asked of the stand-in itself, which is there before the Muster. */
    private static Object ownMethod(Object self, String name, Method method, @Nullable Object @Nullable [] args) {
        return switch (method.getName()) {
            case "equals" -> args != null && self == args[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> "the " + name + " of a Muster";
        };
    }
}
