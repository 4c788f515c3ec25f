package dev.muster.internal.workflow;

import dev.muster.internal.attempt.ErrorText;
import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.workflow.LeaveCode.Broken;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.internal.workflow.WorkflowStore.Unstorable;
import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import dev.muster.telemetry.Tracing;
import dev.muster.workflow.StepContext;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a step, or a compensation, until its result or its last failure is stored; if it is, returns or throws that. */
final class StepCall {
    /** A run that has to wait longer than this for a retry is parked; the thread of the others waits. */
    private static final Duration SHORT_WAIT = Duration.ofSeconds(1);

    private final Branch branch;
    private final Activation run;
    private final String path;
    private final String name;
    private final StepKind kind;
    private final JobRetries retries;
    private final @Nullable Duration timeout;
    private final boolean optional;
    private final @Nullable String compensation;
    private final @Nullable Object compensationArgs;
    private @Nullable String storedCompensationArgs;

    /** Whether the effect of an attempt has happened, and cannot be rolled back: it is undone even if no result of it is ever stored. */
    private boolean happened;

    /**
     * How a step is run.
     *
     * @param optional whether the run continues if it fails
     * @param compensation the handler that undoes it; null if it is not undone
     */
    record Options(
            RetryPolicy retry,
            @Nullable Duration timeout,
            boolean optional,
            @Nullable String compensation,
            @Nullable Object compensationArgs) {}

    StepCall(Branch branch, String path, String name, Options options) {
        this(branch, path, name, StepKind.STEP, options);
    }

    private StepCall(Branch branch, String path, String name, StepKind kind, Options options) {
        this.branch = branch;
        this.run = branch.run();
        this.path = path;
        this.name = name;
        this.kind = kind;
        this.retries = JobRetries.of(options.retry(), null, null);
        this.timeout = options.timeout();
        this.optional = options.optional();
        this.compensation = options.compensation();
        this.compensationArgs = options.compensationArgs();
    }

    /** Calls the compensation of a step, unless its result is stored. */
    static void compensate(Branch branch, StepRow step, CompensationHandler handler) {
        Activation run = branch.run();
        StepCall call = new StepCall(
                branch,
                "c." + step.path(),
                handler.name(),
                StepKind.COMPENSATION,
                new Options(handler.retry(), null, false, null, null));
        if (handler.transactional()) {
            call.runIn((context, connection) -> {
                handler.body().run(context, connection, compensationArgs(run, step, handler));
                return null;
            });
        } else {
            call.run(context -> {
                handler.body().run(context, null, compensationArgs(run, step, handler));
                return null;
            });
        }
    }

    private static @Nullable Object compensationArgs(Activation run, StepRow step, CompensationHandler handler) {
        return step.compensationArgs() == null
                ? null
                : run.readAt(Kind.COMPENSATION, step.path(), step.compensationArgs(), handler.args());
    }

    /** An effect that returns its result. */
    @FunctionalInterface
    interface Effect {
        @Nullable
        Object run(StepContext context) throws Exception;
    }

    /** An effect in a transaction. */
    @FunctionalInterface
    interface TransactionalEffect {
        @Nullable
        Object run(StepContext context, Connection connection) throws Exception;
    }

    /** Returns the result as it is stored; null if there is none, or an optional step failed. */
    @Nullable
    String run(Effect effect) {
        return untilFinal(attempt -> {
            sealCompensationArgs();
            Object value = effect.run(context(attempt));
            happened = true;
            return run.save(completed(attempt, value));
        });
    }

    /** Like {@link #run}, with effect and result in one transaction. */
    @Nullable
    String runIn(TransactionalEffect effect) {
        return untilFinal(attempt -> {
            sealCompensationArgs();
            SavedStep saved = run.engine()
                    .inTransaction(connection ->
                            run.saveIn(connection, completed(attempt, effect.run(context(attempt), connection))));
            return run.note(saved);
        });
    }

    @FunctionalInterface
    private interface Attempt {
        StepRow run(int attempt) throws Exception;
    }

    private @Nullable String untilFinal(Attempt code) {
        StepRow row = branch.stored(path, kind, name);
        if (row != null) {
            happened = row.compensation() != null;
            storedCompensationArgs = row.compensationArgs();
        }
        while (row == null || !row.state().isFinal()) {
            int attempt = row == null ? 1 : row.attempt() + 1;
            if (row != null) {
                await(row.due());
            }
            if (row == null && kind != StepKind.COMPENSATION) {
                branch.checkBegins();
            } else {
                branch.checkContinues();
            }
            row = attempt(attempt, code);
        }
        if (row.state() == StepState.COMPLETED) {
            return row.result();
        }
        if (optional) {
            return null;
        }
        throw run.stepFailed(path, name, String.valueOf(row.error()), true);
    }

    /** Before the effect: if the args cannot be stored, nothing has happened that would have to be undone. */
    private void sealCompensationArgs() {
        if (compensation != null && compensationArgs != null) {
            storedCompensationArgs = run.engine().sealAt(run.id(), Kind.COMPENSATION, path, compensationArgs);
        }
    }

    private StepRow attempt(int attempt, Attempt code) {
        StepTimer.Timer timer = run.orLeave(() -> run.engine().timer().start(timeout));
        Tracing.Span span = run.engine()
                .traces()
                .step(
                        run.handler().definition().name(),
                        run.id(),
                        name,
                        path,
                        attempt,
                        run.job().trace());
        try {
            StepRow row = code.run(attempt);
            timer.stop();
            span.end(null);
            return row;
        } catch (Throwable e) {
            Throwable failure = timer.stop() ? new StepTimer.TimedOut(name, timer.limit(), e) : e;
            span.end(failure);
            if (run.isNotTheSteps(e)) {
                throw run.leave(e instanceof LeaveCode leaving ? leaving : new Broken(e));
            }
            return failed(attempt, failure);
        }
    }

    private StepRow failed(int attempt, Throwable failure) {
        String error = ErrorText.of(failure);
        String undo = happened ? compensation : null;
        String undoArgs = happened ? storedCompensationArgs : null;
        // The effect of a step whose result cannot be stored is not repeated.
        if (failure instanceof Unstorable || !retries.retries(attempt, failure)) {
            return run.save(
                    new StepRow(path, name, kind, StepState.FAILED, attempt, null, error, null, null, undo, undoArgs));
        }
        Duration delay = retries.delayAfter(attempt, failure, ThreadLocalRandom.current());
        return run.save(
                new StepRow(path, name, kind, StepState.RETRYING, attempt, null, error, null, delay, undo, undoArgs));
    }

    private StepRow completed(int attempt, @Nullable Object value) {
        WorkflowEngine engine = run.engine();
        return new StepRow(
                path,
                name,
                kind,
                StepState.COMPLETED,
                attempt,
                engine.sealAt(run.id(), Kind.STEP, path, value),
                null,
                null,
                null,
                compensation,
                storedCompensationArgs);
    }

    /** Waits for a retry that is due soon; parks the run for one that is not. */
    private void await(@Nullable Instant due) {
        if (due == null) {
            return;
        }
        Duration left = Duration.between(run.now(), due);
        if (left.compareTo(SHORT_WAIT) > 0) {
            throw branch.park(due, Set.of());
        }
        if (!left.isNegative()) {
            try {
                TimeUnit.NANOSECONDS.sleep(left.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw run.leave(new Broken(e));
            }
        }
    }

    private StepContext context(int attempt) {
        return new StepContext() {
            @Override
            public JobId runId() {
                return run.id();
            }

            @Override
            public int attempt() {
                return attempt;
            }

            @Override
            public String idempotencyKey() {
                return run.id() + "/" + path + "/" + name;
            }
        };
    }
}
