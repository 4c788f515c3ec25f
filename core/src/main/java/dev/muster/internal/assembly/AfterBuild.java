package dev.muster.internal.assembly;

import dev.muster.runtime.MusterException;
import java.lang.reflect.Method;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stand-ins that a builder's {@code jobs()}, {@code locks()} and the like return. Handlers get them before the Muster exists
 * and use them afterwards: each call goes to the Muster that was built. A call before that throws an exception that says so.
 *
 * @param <M> the class of that Muster
 */
public final class AfterBuild<M> {
    private volatile @Nullable M muster;
    private volatile boolean handedOut;

    /** @throws MusterException if a Muster was built and uses stand-ins, which a second Muster would redirect */
    public void checkNotBuilt() {
        if (handedOut && muster != null) {
            throw new MusterException(
                    "build() was called a second time on a builder whose jobs(), locks() or the like were"
                            + " handed out: they belong to the Muster that was built first; create another builder with its own"
                            + " handlers");
        }
    }

    public void built(M built) {
        muster = built;
    }

    /**
     * @param name what the error message calls the builder's method
     * @param part the part of the Muster that receives the calls
     */
    public <T> T of(Class<T> type, String name, Function<M, T> part) {
        handedOut = true;
        return ApiProxy.of(
                type,
                "the " + name + " of a Muster",
                (method, args) -> ApiProxy.pass(part.apply(muster(name, method)), method, args));
    }

    private M muster(String name, Method method) {
        @Nullable M built = muster;
        if (built == null) {
            throw new MusterException(name + "." + method.getName() + " was called before this Muster was built;"
                    + " what the builder's " + name + " returns can be used once build() has returned: in handlers,"
                    + " and in MusterApp.started");
        }
        return built;
    }
}
