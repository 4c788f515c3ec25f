package dev.muster.internal.worker;

import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerMethod;
import dev.muster.internal.node.HandlerMethod.Call;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.Lane;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads methods that are annotated with {@link Job}. */
public final class JobMethods {
    public static final HandlerKind<JobHandler> JOBS = new HandlerKind<>(Job.class, JobMethods::read);

    private JobMethods() {}

    private static JobHandler read(HandlerMethod method) {
        Job job = method.annotation(Job.class);
        DriverJobs.refuseName(job.value());
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
                BackoffPolicy.of(job.maxAttempts(), job.maxCrashes(), job.backoff())
                        .withRetryOn(job.retryOn())
                        .withNoRetryOn(job.noRetryOn()),
                HandlerMethod.optionalDuration(job.timeout()),
                args ? types[types.length - 1] : null,
                new MethodBody(method.object().type(), call, context, args),
                ConcurrencyLimit.of(job.maxConcurrent(), job.concurrencyKey(), job.ordered(), job.rate()),
                job.tenants());
    }

    private record MethodBody(Class<?> type, Call call, boolean takesContext, boolean takesArgs)
            implements JobHandler.Body {
        @Override
        public @Nullable Object run(JobContext context, @Nullable Object args) throws Exception {
            if (takesContext) {
                return takesArgs ? call.invoke(context, args) : call.invoke(context);
            }
            return takesArgs ? call.invoke(args) : call.invoke();
        }

        @Override
        public Optional<Class<?>> declaredIn() {
            return Optional.of(type);
        }
    }
}
