package dev.muster;

import dev.muster.config.DurationText;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobHandler.Body;
import dev.muster.job.Lane;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.MusterException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the annotated methods of an object, as {@link Muster.Builder#register(Object)} does. For whoever runs handlers without a node. */
public final class HandlerScanner {
    private HandlerScanner() {}

    /** The job handlers of an object, its superclasses included. */
    public static List<JobHandler> jobs(Object object) {
        List<JobHandler> handlers = new ArrayList<>();
        for (Class<?> type = object.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                Job job = method.getAnnotation(Job.class);
                if (job != null && !method.isBridge()) {
                    handlers.add(handler(object, method, job));
                }
            }
        }
        return handlers;
    }

    private static JobHandler handler(Object object, Method method, Job job) {
        Shape shape = Shape.of(method);
        try {
            RetryPolicy retry = new RetryPolicy(
                    job.maxAttempts(),
                    job.maxCrashes() < 0 ? RetryPolicy.defaultMaxCrashes(job.maxAttempts()) : job.maxCrashes(),
                    job.backoff().kind(),
                    duration(job.backoff().delay()),
                    duration(job.backoff().cap()),
                    job.backoff().jitter(),
                    List.of(job.retryOn()),
                    List.of(job.noRetryOn()));
            return new JobHandler(
                    job.value(),
                    new Lane(job.queue(), job.capability()),
                    job.priority(),
                    retry,
                    job.timeout().isEmpty() ? null : duration(job.timeout()),
                    shape.args,
                    body(object, method, shape));
        } catch (MusterException e) {
            throw new MusterException("@Job on " + describe(method) + ": " + e.getMessage(), e);
        }
    }

    private static Duration duration(String text) {
        return DurationText.parse(text);
    }

    /** What a handler method takes. */
    private record Shape(boolean context, @Nullable Type args) {

        static Shape of(Method method) {
            Type[] types = method.getGenericParameterTypes();
            boolean context = types.length > 0 && types[0] == JobContext.class;
            int rest = types.length - (context ? 1 : 0);
            if (rest > 1 || Modifier.isStatic(method.getModifiers())) {
                throw new MusterException("@Job on " + describe(method)
                        + ": a handler is an instance method that takes a JobContext, or the job's args, or both in"
                        + " that order, or nothing");
            }
            return new Shape(context, rest == 0 ? null : types[types.length - 1]);
        }
    }

    private static Body body(Object object, Method method, Shape shape) {
        MethodHandle handle;
        try {
            method.setAccessible(true);
            handle = MethodHandles.lookup().unreflect(method).bindTo(object);
        } catch (IllegalAccessException | InaccessibleObjectException e) {
            throw new MusterException(
                    "cannot call " + describe(method) + "; make it public, or open its package to Muster", e);
        }
        return (context, args) -> {
            try {
                if (shape.context) {
                    return shape.args == null ? handle.invoke(context) : handle.invoke(context, args);
                }
                return shape.args == null ? handle.invoke() : handle.invoke(args);
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private static String describe(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
