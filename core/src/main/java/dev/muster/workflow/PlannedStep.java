package dev.muster.workflow;

import dev.muster.job.BackoffPolicy;
import dev.muster.job.RetryPolicy;
import dev.muster.job.payload.Payloads.Kind;
import java.lang.reflect.Type;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A step with its options, which has not run yet. */
final class PlannedStep<R> implements Step<R> {
    private final Branch branch;
    private final Activation run;
    private final String path;
    private final String name;
    private final Type type;
    private RetryPolicy retry = BackoffPolicy.DEFAULT;
    private @Nullable Duration timeout;
    private boolean optional;
    private @Nullable String compensation;
    private @Nullable Object compensationArgs;

    PlannedStep(Branch branch, String path, String name, Type type) {
        this.branch = branch;
        this.run = branch.run();
        this.path = path;
        this.name = name;
        this.type = type;
    }

    @Override
    public Step<R> retry(RetryPolicy policy) {
        this.retry = policy;
        return this;
    }

    @Override
    public Step<R> timeout(Duration limit) {
        this.timeout = limit;
        return this;
    }

    @Override
    public Step<R> optional() {
        this.optional = true;
        return this;
    }

    @Override
    public Step<R> compensateWith(String handler, @Nullable Object args) {
        run.engine().requireCompensation(handler);
        this.compensation = handler;
        this.compensationArgs = args;
        return this;
    }

    @Override
    public @Nullable R run(Effect<R> effect) {
        return result(call().run(effect::run));
    }

    @Override
    public @Nullable R runIn(TransactionalEffect<R> effect) {
        return result(call().runIn((context, connection) -> effect.run(connection)));
    }

    private StepCall call() {
        return new StepCall(branch, path, name, retry, timeout, optional, compensation, compensationArgs);
    }

    /** The types match because the value was written and read as this type. */
    @SuppressWarnings("unchecked")
    private @Nullable R result(@Nullable String stored) {
        return stored == null ? null : (R) run.engine().readAt(run.id(), Kind.STEP, path, stored, type);
    }
}
