package dev.muster.internal.node;

import dev.muster.runtime.MusterException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An object with annotated methods: one that exists, or one that a container creates later and perhaps wraps. */
public final class HandlerObject {
    private final Class<?> type;
    private final Supplier<?> object;
    private final UnaryOperator<Method> invocable;
    private final boolean exists;

    private HandlerObject(Class<?> type, Supplier<?> object, UnaryOperator<Method> invocable, boolean exists) {
        this.type = type;
        this.object = object;
        this.invocable = invocable;
        this.exists = exists;
    }

    /** An object whose methods are called as they are declared. */
    public static HandlerObject of(Object object) {
        return new HandlerObject(object.getClass(), () -> object, UnaryOperator.identity(), true);
    }

    /**
     * An object that a container creates later.
     *
     * @param type the class that declares the annotated methods
     * @param object returns the object, or a proxy for it; asked for each call
     * @param invocable turns a method of the class into the one to call on what {@code object} returns; asked once for each method, with
     *     its first call
     */
    public static HandlerObject later(Class<?> type, Supplier<?> object, UnaryOperator<Method> invocable) {
        return new HandlerObject(type, object, invocable, false);
    }

    /** The class that declares the annotated methods, or a subclass of it. */
    public Class<?> type() {
        return type;
    }

    HandlerMethod.Call call(HandlerMethod method) {
        if (exists) {
            MethodHandle bound = handle(method).bindTo(object.get());
            return arguments -> invoke(bound, arguments);
        }
        return new LaterCall(method);
    }

    private MethodHandle handle(HandlerMethod method) {
        try {
            Method callable = invocable.apply(method.method());
            callable.setAccessible(true);
            return MethodHandles.lookup().unreflect(callable);
        } catch (IllegalAccessException | InaccessibleObjectException e) {
            throw new MusterException(
                    "cannot call " + method.describe() + "; make it public, or open its package to Muster", e);
        }
    }

    /** Finds out with its first call which method to call. Two threads that come at the same time find the same one. */
    private final class LaterCall implements HandlerMethod.Call {
        private final HandlerMethod method;
        private volatile @Nullable MethodHandle handle;

        LaterCall(HandlerMethod method) {
            this.method = method;
        }

        @Override
        public @Nullable Object invoke(@Nullable Object... arguments) throws Exception {
            // The object comes first: what is invocable depends on how the container has wrapped it.
            Object target = object.get();
            MethodHandle found = handle;
            if (found == null) {
                found = handle(method);
                handle = found;
            }
            return HandlerObject.invoke(found.bindTo(target), arguments);
        }
    }

    private static @Nullable Object invoke(MethodHandle bound, @Nullable Object... arguments) throws Exception {
        try {
            return switch (arguments.length) {
                case 0 -> bound.invoke();
                case 1 -> bound.invoke(arguments[0]);
                case 2 -> bound.invoke(arguments[0], arguments[1]);
                default -> bound.invokeWithArguments(arguments);
            };
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
