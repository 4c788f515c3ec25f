package dev.muster.internal.node;

import dev.muster.internal.config.DurationText;
import dev.muster.runtime.MusterException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An annotated method of a registered object. */
public record HandlerMethod(HandlerObject object, Method method, Annotation annotation) {

    /** Calls the method, with as many arguments as it takes. */
    @FunctionalInterface
    public interface Call {
        @Nullable
        Object invoke(Object... arguments) throws Exception;
    }

    /** The method's annotation of this type. */
    public <A extends Annotation> A annotation(Class<A> type) {
        return type.cast(annotation);
    }

    public Type[] parameters() {
        return method.getGenericParameterTypes();
    }

    public boolean isInstanceMethod() {
        return !Modifier.isStatic(method.getModifiers());
    }

    /** Whether the method takes a context of this type, or nothing. */
    public boolean takesAtMost(Class<?> context) {
        Type[] types = parameters();
        return isInstanceMethod() && (types.length == 0 || types.length == 1 && types[0] == context);
    }

    /** The given name or, if it is empty, the method's name in snake case: {@code hourly_report} for {@code hourlyReport}. */
    public String name(String given) {
        if (!given.isEmpty()) {
            return given;
        }
        return method.getName()
                .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                .replaceAll("([A-Z]+)([A-Z][a-z])", "$1_$2")
                .toLowerCase(Locale.ROOT);
    }

    /** Builds a handler from the annotation; an exception gets the method's name. */
    public <T> T build(Supplier<T> builder) {
        try {
            return builder.get();
        } catch (MusterException e) {
            throw new MusterException(where() + ": " + e.getMessage(), e);
        }
    }

    /** A duration in an annotation, zero if it is empty. */
    public static Duration duration(String text) {
        return text.isEmpty() ? Duration.ZERO : DurationText.parse(text);
    }

    /** A duration in an annotation, null if it is empty. */
    public static @Nullable Duration optionalDuration(String text) {
        return text.isEmpty() ? null : DurationText.parse(text);
    }

    private String where() {
        return "@" + annotation.annotationType().getSimpleName() + " on " + describe();
    }

    /**
     * @throws MusterException if Muster may not call the method; if the object is not known yet, the first call throws it instead
     */
    public Call call() {
        return object.call(this);
    }

    /** What messages call this method: its class and name. */
    String describe() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
