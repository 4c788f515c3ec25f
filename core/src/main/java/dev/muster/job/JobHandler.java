package dev.muster.job;

import dev.muster.internal.job.JobRetries;
import dev.muster.internal.runtime.Names;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A registered handler. A method annotated with {@link Job} becomes one; without annotations:
 *
 * <pre>{@code
 * JobHandler.of(Mail.WELCOME)
 *     .queue("mail")
 *     .retry(RetryPolicy.exponential(5, Duration.ofSeconds(2), Duration.ofMinutes(5)))
 *     .handle((ctx, args) -> mailer.send(args))
 * }</pre>
 *
 * @param lane the queue of its jobs, and the capability that a node needs to run them, or a {@link Placement}
 * @param timeout if null, {@code worker.job_timeout} applies
 * @param argsType null if the handler takes no args; {@link RawJson} if it takes any JSON, and also none
 * @param concurrencyLimit how many of its jobs run at a time, in which order and how fast; null if nothing limits them
 * @param tenants whether callers that belong to a tenant may start its jobs
 */
public record JobHandler(
        String name,
        Lane lane,
        Priority priority,
        RetryPolicy retry,
        @Nullable Duration timeout,
        @Nullable Type argsType,
        Body body,
        @Nullable ConcurrencyLimit concurrencyLimit,
        boolean tenants) {

    /** A handler whose jobs nothing limits, and which is closed to tenants. */
    public JobHandler(
            String name,
            Lane lane,
            Priority priority,
            RetryPolicy retry,
            @Nullable Duration timeout,
            @Nullable Type argsType,
            Body body) {
        this(name, lane, priority, retry, timeout, argsType, body, null, false);
    }

    public JobHandler {
        Names.require("job name", name);
        Names.require("queue", lane.queue());
        lane = new Lane(lane.queue(), Placement.canonical(lane.capability()));
        JobRetries.checkLimits(retry.maxAttempts(), retry.maxCrashes());
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new MusterException("the timeout of job '" + name + "' must be above 0, not " + timeout);
        }
    }

    /** The options of its jobs, for requests and crons that do not set them. */
    public JobOptions options() {
        return new JobOptions(
                lane.queue(), lane.capability(), priority, retry.maxAttempts(), retry.maxCrashes(), timeout);
    }

    /** The same handler, open to tenants or not. */
    public JobHandler tenants(boolean open) {
        return new JobHandler(name, lane, priority, retry, timeout, argsType, body, concurrencyLimit, open);
    }

    /** The user's code. */
    @FunctionalInterface
    public interface Body {
        @Nullable
        Object run(JobContext context, @Nullable Object args) throws Exception;

        /** Called when a job was claimed, before it waits for a thread. Must be quick, and must not fail. */
        default void claimed(JobId job, long token) {}

        /** Whether this binds the args to {@link JobHandler#argsType} itself: it is then called with an {@code OpenArgs} instead. */
        default boolean bindsArgs() {
            return false;
        }

        /**
         * The class of the object whose annotated method this calls; empty for any other code. An executor of kind {@code process}
         * creates an object of this class in the child process.
         */
        default Optional<Class<?>> declaredIn() {
            return Optional.empty();
        }
    }

    /** Starts building the handler of a job without args; {@link Builder#args(Class)} adds them. */
    public static Builder<Void, Object> named(String name) {
        return new Builder<>(name, null);
    }

    /** Starts building the handler of the job with this name and these types. */
    public static <A, R> Builder<A, R> of(JobType<A, R> type) {
        return new Builder<>(type.name(), type.args());
    }

    /**
     * Builds a handler. Options that are not set have the defaults of {@link Job}.
     *
     * @param <A> the type of the args; Void if there are none
     * @param <R> the type of the result
     */
    public static final class Builder<A, R> {
        private final String name;
        private final @Nullable Type argsType;
        private String queue = "default";
        private String capability = "";
        private Priority priority = Priority.NORMAL;
        private RetryPolicy retry = BackoffPolicy.DEFAULT;
        private @Nullable Duration timeout;
        private int maxConcurrent;
        private String concurrencyKey = "";
        private boolean ordered;
        private @Nullable JobRate rate;
        private boolean tenants;

        private Builder(String name, @Nullable Type argsType) {
            this.name = Names.require("job name", name);
            this.argsType = argsType == Void.class ? null : argsType;
        }

        /** The type of the job's args. */
        public <B> Builder<B, R> args(Class<B> type) {
            return withArgs(type);
        }

        /** The type of the job's args if it has type parameters: {@code args(new TypeRef<List<Order>>() {})}. */
        public <B> Builder<B, R> args(TypeRef<B> type) {
            return withArgs(type.type());
        }

        private <B> Builder<B, R> withArgs(Type type) {
            Builder<B, R> typed = new Builder<>(name, type);
            typed.queue = queue;
            typed.capability = capability;
            typed.priority = priority;
            typed.retry = retry;
            typed.timeout = timeout;
            typed.maxConcurrent = maxConcurrent;
            typed.concurrencyKey = concurrencyKey;
            typed.ordered = ordered;
            typed.rate = rate;
            typed.tenants = tenants;
            return typed;
        }

        /** The queue of its jobs, unless a request names another. Default: {@code default}. */
        public Builder<A, R> queue(String queue) {
            this.queue = queue;
            return this;
        }

        /** The capability that a node needs to run it, or the text of a {@link Placement}. Default: none. */
        public Builder<A, R> capability(String capability) {
            this.capability = capability;
            return this;
        }

        public Builder<A, R> priority(Priority priority) {
            this.priority = priority;
            return this;
        }

        /** When and how often the job is retried. Default: {@link BackoffPolicy#DEFAULT}. */
        public Builder<A, R> retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        /** How long one attempt may run. Default: {@code worker.job_timeout}. */
        public Builder<A, R> timeout(Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        /** How many of its jobs, or of one key of them, may run at a time in the whole cluster; 1 to 10,000. Default: no limit. */
        public Builder<A, R> maxConcurrent(int maxConcurrent) {
            this.maxConcurrent = maxConcurrent;
            return this;
        }

        /** The field of the args, such as {@code customer.id}, for each value of which the limits hold. Default: they hold for all jobs together. */
        public Builder<A, R> concurrencyKey(String path) {
            this.concurrencyKey = path;
            return this;
        }

        /** Its jobs, or those of one key, run one after the other, in the order in which they were enqueued. Default: no order. */
        public Builder<A, R> ordered() {
            this.ordered = true;
            return this;
        }

        /** How many of its jobs, or of one key of them, begin per interval. Default: no limit. */
        public Builder<A, R> rate(int jobs, Duration interval) {
            return rate(new JobRate(jobs, interval));
        }

        /** How many of its jobs, or of one key of them, begin per interval. Default: no limit. */
        public Builder<A, R> rate(JobRate rate) {
            this.rate = rate;
            return this;
        }

        /** Callers that belong to a tenant may start its jobs over HTTP, with any args. Default: they may not. */
        public Builder<A, R> tenants() {
            this.tenants = true;
            return this;
        }

        /** Builds the handler of a job with a result. {@code args} is null if the job takes none. */
        public JobHandler handle(WithResult<? super A, ? extends R> code) {
            return build((context, args) -> code.handle(context, cast(args)));
        }

        /** Builds the handler of a job without a result. {@code args} is null if the job takes none. */
        public JobHandler run(WithoutResult<? super A> code) {
            return build((context, args) -> {
                code.run(context, cast(args));
                return null;
            });
        }

        private JobHandler build(Body body) {
            ConcurrencyLimit concurrencyLimit =
                    maxConcurrent == 0 && concurrencyKey.isEmpty() && !ordered && rate == null
                            ? null
                            : new ConcurrencyLimit(maxConcurrent, concurrencyKey, ordered, rate);
            return new JobHandler(
                    name,
                    new Lane(queue, capability),
                    priority,
                    retry,
                    timeout,
                    argsType,
                    body,
                    concurrencyLimit,
                    tenants);
        }

        /** The cast is safe because the args were read as this type. */
        @SuppressWarnings({"unchecked", "NullAway"})
        private A cast(@Nullable Object args) {
            return (A) args;
        }
    }

    /** Code that returns the job's result. */
    @FunctionalInterface
    public interface WithResult<A, R> {
        @Nullable
        R handle(JobContext context, A args) throws Exception;
    }

    /** Code of a job without a result. */
    @FunctionalInterface
    public interface WithoutResult<A> {
        void run(JobContext context, A args) throws Exception;
    }
}
