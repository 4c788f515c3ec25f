package dev.muster.testkit;

import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRetries;
import dev.muster.job.Snooze;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.StorableText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a job on the calling thread, by the same rules as on a node. Backoff has no jitter, so that tests can rely on
 * it.
 */
final class HandlerRun {
    /** Always returns the middle of the range. */
    private static final RandomGenerator NO_JITTER = () -> Long.MIN_VALUE;

    private static final int MAX_ERROR_LENGTH = 8_000;

    private final JsonCodec json;
    private final List<JobInterceptor> interceptors;

    HandlerRun(JsonCodec json, List<JobInterceptor> interceptors) {
        this.json = json;
        this.interceptors = List.copyOf(interceptors);
    }

    /** The result of an attempt. */
    sealed interface Result {
        record Completed(@Nullable String json) implements Result {}

        record Retried(String error, Duration delay, Throwable failure) implements Result {}

        record Failed(String error, @Nullable Throwable failure) implements Result {}

        record Snoozed(Duration delay) implements Result {}
    }

    Result run(JobHandler handler, JobRetries retries, JobContext context, String args) {
        Object bound;
        try {
            bound = args(handler, args);
        } catch (JsonException e) {
            return new Result.Failed("args do not fit " + handler.argsType() + ": " + e.getMessage(), e);
        }
        Object value;
        try {
            value = proceed(handler, context, bound, 0);
        } catch (Snooze e) {
            return new Result.Snoozed(e.delay());
        } catch (Throwable e) {
            return failure(retries, context.attempt(), e);
        }
        try {
            return new Result.Completed(value == null ? null : json.write(value));
        } catch (JsonException e) {
            return new Result.Failed("its result cannot be written as JSON: " + e.getMessage(), e);
        }
    }

    Result failure(JobRetries retries, int attempt, Throwable failure) {
        return retries.retries(attempt, failure)
                ? new Result.Retried(errorText(failure), retries.delayAfter(attempt, failure, NO_JITTER), failure)
                : new Result.Failed(errorText(failure), failure);
    }

    private @Nullable Object args(JobHandler handler, String args) {
        Type type = handler.argsType();
        return type == null ? null : json.read(args, type);
    }

    private @Nullable Object proceed(JobHandler handler, JobContext context, @Nullable Object args, int next)
            throws Exception {
        if (next == interceptors.size()) {
            return handler.body().run(context, args);
        }
        return interceptors.get(next).run(context, () -> proceed(handler, context, args, next + 1));
    }

    private static String errorText(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        String all = StorableText.of(text.toString().strip());
        return all.length() <= MAX_ERROR_LENGTH ? all : all.substring(0, MAX_ERROR_LENGTH) + "…";
    }
}
