package dev.muster;

import dev.muster.runtime.MusterException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stand-ins that a builder's {@code jobs()}, {@code locks()} and the like return. Handlers get them before the Muster exists
 * and use them afterwards: each call goes to the Muster that was built. A call before that throws an exception that says so.
 */
final class AfterBuild {
    private volatile @Nullable Muster muster;
    private volatile boolean handedOut;

    /** @throws MusterException if a Muster was built and uses stand-ins, which a second Muster would redirect */
    void checkNotBuilt() {
        if (handedOut && muster != null) {
            throw new MusterException(
                    "build() was called a second time on a builder whose jobs(), locks() or the like were"
                            + " handed out: they belong to the Muster that was built first; create another builder with its own"
                            + " handlers");
        }
    }

    void built(Muster built) {
        muster = built;
    }

    /**
     * @param name what the error message calls the builder's method
     * @param part the part of the Muster that receives the calls
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

    /** Methods of Object work on the stand-in itself, even before the Muster exists. */
    private static Object ownMethod(Object self, String name, Method method, @Nullable Object @Nullable [] args) {
        return switch (method.getName()) {
            case "equals" -> args != null && self == args[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> "the " + name + " of a Muster";
        };
    }
}
