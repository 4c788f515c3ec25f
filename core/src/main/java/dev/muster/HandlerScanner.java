package dev.muster;

import dev.muster.HandlerMethod.Call;
import dev.muster.config.DurationText;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.daemon.DaemonHandler;
import dev.muster.job.Backoff;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobOptions;
import dev.muster.job.Lane;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronHandler;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the annotated methods of an object, as {@link Muster.Builder#register(Object)} does; for running handlers without a
 * node.
 */
public final class HandlerScanner {
    private HandlerScanner() {}

    /** The annotated methods of an object, including those of its superclasses. */
    public static Handlers scan(Object object) {
        return new Handlers(
                each(object, Job.class, HandlerScanner::job),
                each(object, Cron.class, HandlerScanner::cron),
                each(object, Daemon.class, HandlerScanner::daemon));
    }

    private static <T> List<T> each(
            Object object, Class<? extends Annotation> annotation, Function<HandlerMethod, T> handler) {
        List<T> handlers = new ArrayList<>();
        for (Class<?> type = object.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                Annotation found = method.getAnnotation(annotation);
                if (found != null && !method.isBridge()) {
                    HandlerMethod candidate = new HandlerMethod(object, method, found);
                    handlers.add(candidate.build(() -> handler.apply(candidate)));
                }
            }
        }
        return handlers;
    }

    private static JobHandler job(HandlerMethod method) {
        Job job = (Job) method.annotation();
        Type[] types = method.parameters();
        boolean context = types.length > 0 && types[0] == JobContext.class;
        int rest = types.length - (context ? 1 : 0);
        if (rest > 1 || !method.isInstanceMethod()) {
            throw new MusterException(
                    "a handler is an instance method that takes a JobContext, or the job's args, or both"
                            + " in that order, or nothing");
        }
        Call call = method.call();
        boolean args = rest == 1;
        return new JobHandler(
                job.value(),
                new Lane(job.queue(), job.capability()),
                job.priority(),
                retry(job.maxAttempts(), job.maxCrashes(), job.backoff())
                        .withRetryOn(job.retryOn())
                        .withNoRetryOn(job.noRetryOn()),
                optional(job.timeout()),
                args ? types[types.length - 1] : null,
                (ctx, value) -> {
                    if (context) {
                        return args ? call.invoke(ctx, value) : call.invoke(ctx);
                    }
                    return args ? call.invoke(value) : call.invoke();
                });
    }

    private static CronHandler cron(HandlerMethod method) {
        Cron cron = (Cron) method.annotation();
        if (!method.takesAtMost(CronContext.class)) {
            throw new MusterException("a cron is an instance method that takes a CronContext, or nothing");
        }
        Call call = method.call();
        boolean context = method.parameters().length == 1;
        RetryPolicy retry = retry(cron.maxAttempts(), cron.maxCrashes(), cron.backoff())
                .withRetryOn(cron.retryOn())
                .withNoRetryOn(cron.noRetryOn());
        String name = method.name(cron.name());
        CronDefinition definition = new CronDefinition(
                name,
                cron.value().strip(),
                cron.zone(),
                cron.misfire(),
                cron.catchUpLimit(),
                cron.overlap(),
                cron.jitter().isEmpty() ? Duration.ZERO : duration(cron.jitter()),
                name,
                "null",
                new JobOptions(
                        cron.queue(),
                        cron.capability().isEmpty() ? null : cron.capability(),
                        cron.priority(),
                        retry.maxAttempts(),
                        retry.maxCrashes(),
                        optional(cron.timeout())));
        return new CronHandler(definition, retry, ctx -> {
            if (context) {
                call.invoke(ctx);
            } else {
                call.invoke();
            }
        });
    }

    private static DaemonHandler daemon(HandlerMethod method) {
        Daemon daemon = (Daemon) method.annotation();
        if (!method.takesAtMost(DaemonContext.class) || method.parameters().length == 0) {
            throw new MusterException("a daemon is an instance method that takes a DaemonContext");
        }
        Call call = method.call();
        return new DaemonHandler(
                method.name(daemon.name()),
                daemon.perNode(),
                daemon.startDelay().isEmpty() ? Duration.ZERO : duration(daemon.startDelay()),
                daemon.maxRestarts(),
                retry(RetryPolicy.DEFAULT_MAX_ATTEMPTS, -1, daemon.backoff()),
                call::invoke);
    }

    private static BackoffPolicy retry(int maxAttempts, int maxCrashes, Backoff backoff) {
        BackoffPolicy policy = RetryPolicy.backoff(
                        maxAttempts, backoff.kind(), duration(backoff.delay()), duration(backoff.cap()))
                .withJitter(backoff.jitter());
        return maxCrashes < 0 ? policy : policy.withMaxCrashes(maxCrashes);
    }

    private static Duration duration(String text) {
        return DurationText.parse(text);
    }

    private static @Nullable Duration optional(String text) {
        return text.isEmpty() ? null : duration(text);
    }
}
