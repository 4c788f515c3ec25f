package dev.muster.internal.workflow;

import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.workflow.LeaveCode.Blocked;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Step;
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
    private boolean called;
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
        if (!run.engine().compensations().containsKey(handler)) {
            throw run.leave(new Blocked(
                    RunStatus.BLOCKED_MISSING_HANDLER,
                    "node " + run.job().nodeId() + " has no compensation '" + handler + "', which step '" + name
                            + "' asks for; it has "
                            + run.engine().compensations().keySet().stream()
                                    .sorted()
                                    .toList()));
        }
        this.compensation = handler;
        this.compensationArgs = args;
        return this;
    }

    @Override
    public @Nullable R run(Effect<R> effect) {
        return branch.call(what(), () -> result(begun().run(effect::run)));
    }

    @Override
    public @Nullable R runIn(TransactionalEffect<R> effect) {
        return branch.call(what(), () -> result(begun().runIn((context, connection) -> effect.run(connection))));
    }

    private String what() {
        return "step '" + name + "'";
    }

    private StepCall begun() {
        if (called) {
            throw new MusterException("step '" + name + "' has run; ask the context for a new one");
        }
        called = true;
        StepCall.Options options = new StepCall.Options(retry, timeout, optional, compensation, compensationArgs);
        return new StepCall(branch, path, name, options);
    }

    /** The types match because the value was written and read as this type. */
    @SuppressWarnings("unchecked")
    private @Nullable R result(@Nullable String stored) {
        try {
            return stored == null ? null : (R) run.readAt(Kind.STEP, path, stored, type);
        } catch (JsonException e) {
            throw run.leave(Blocked.mismatch("step " + path + " '" + name + "': " + e.getMessage()));
        }
    }
}
