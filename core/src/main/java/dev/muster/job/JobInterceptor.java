package dev.muster.job;

import org.jspecify.annotations.Nullable;

/** Wraps every enqueue and every run of a node, for example for trace context, tenant or MDC. */
public interface JobInterceptor {

    /** May return a changed request, for example with more metadata. */
    default JobRequest enqueue(JobRequest request) {
        return request;
    }

    /** Runs on the handler's thread; must call {@code run.proceed()} once and return its value. */
    default @Nullable Object run(JobContext context, Run run) throws Exception {
        return run.proceed();
    }

    /** The rest of the chain, ending with the handler. */
    @FunctionalInterface
    interface Run {
        @Nullable
        Object proceed() throws Exception;
    }
}
