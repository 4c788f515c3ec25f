package dev.muster.workflow;

import dev.muster.attempt.ErrorText;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.payload.Payloads.Kind;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.Outcome;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.LeaveCode.Broken;
import dev.muster.workflow.LeaveCode.Cancelled;
import dev.muster.workflow.LeaveCode.Mismatch;
import dev.muster.workflow.LeaveCode.Park;
import dev.muster.workflow.LeaveCode.Paused;
import dev.muster.workflow.WorkflowStore.Ended;
import dev.muster.workflow.WorkflowStore.LoadedRun;
import dev.muster.workflow.WorkflowStore.Parked;
import dev.muster.workflow.WorkflowStore.SavedStep;
import dev.muster.workflow.WorkflowStore.StepRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run of a driver: replays the stored steps, runs the next ones, and ends with what becomes of the run. Branches of the run use it
 * from several threads.
 */
final class Activation {
    /** How many steps a run may have: each activation reads them all. */
    private static final int MAX_STEPS = 10_000;

    private static final Duration TRY_BLOCKED_AGAIN = Duration.ofMinutes(1);

    private final WorkflowEngine engine;
    private final WorkflowHandler handler;
    private final JobContext job;
    private final ClaimRef claim;
    private final LoadedRun run;
    private final long loadedAt;
    private final StoredSteps steps = new StoredSteps();
    private volatile boolean cancelRequested;
    private volatile boolean paused;
    private volatile boolean compensating;
    private volatile @Nullable LeaveCode left;
    private final Branch code;

    Activation(WorkflowEngine engine, WorkflowHandler handler, JobContext job, ClaimRef claim, LoadedRun run) {
        this.engine = engine;
        this.handler = handler;
        this.job = job;
        this.claim = claim;
        this.run = run;
        this.loadedAt = engine.clock().nanos();
        this.cancelRequested = run.cancelRequested();
        this.paused = run.paused();
        run.steps().forEach(steps::put);
        this.code = new Branch(this, "");
    }

    JobId id() {
        return run.id();
    }

    WorkflowHandler handler() {
        return handler;
    }

    WorkflowEngine engine() {
        return engine;
    }

    JobContext job() {
        return job;
    }

    /** The database's clock, as far as this node knows: never ahead of it by more than the way of an answer. */
    Instant now() {
        return run.now().plusNanos(engine.clock().nanos() - loadedAt);
    }

    /** Runs the code, or the compensations, and returns what becomes of the run. */
    Outcome run() throws Exception {
        if (run.ended()) {
            return new Outcome.Cancelled(claim, "an operator has ended its run");
        }
        try {
            return run.endsAs() != null ? compensate(run.endsAs(), run.error(), run.reason()) : runCode();
        } catch (Park park) {
            return parked(park);
        } catch (Paused e) {
            RunStatus status = compensating ? RunStatus.COMPENSATING : RunStatus.WAITING;
            return new Parked(claim, status, null, Set.of(), e.getMessage(), true);
        } catch (Broken broken) {
            throw engine.unwrap(broken);
        }
    }

    private Outcome runCode() {
        try {
            code.checkGoesOn();
            Object input = engine.read(id(), Kind.ARGS, run.input(), handler.input());
            Object result = handler.body().run(code, input);
            code.rethrow();
            return ended(RunStatus.COMPLETED, engine.seal(id(), Kind.RESULT, result), null, null);
        } catch (Park | Paused | Broken e) {
            throw e;
        } catch (Mismatch e) {
            return blocked(RunStatus.BLOCKED_SIGNATURE_MISMATCH, String.valueOf(e.getMessage()));
        } catch (Cancelled e) {
            return fail(RunStatus.CANCELLED_BY_OPERATOR, null, run.reason());
        } catch (ContinueAsNew e) {
            return continueAsNew(e.input());
        } catch (Throwable e) {
            if (job.isCancelled() || e instanceof VirtualMachineError) {
                throw new Broken(e);
            }
            return fail(RunStatus.FAILED, ErrorText.of(e), null);
        }
    }

    /** Makes all branches leave the code at their next call, because the whole run cannot go on. */
    <E extends LeaveCode> E leave(E reason) {
        left = reason;
        return reason;
    }

    void rethrow() {
        LeaveCode pending = left;
        if (pending != null) {
            throw pending;
        }
    }

    private Outcome continueAsNew(@Nullable Object input) {
        return new Ended(
                claim,
                RunStatus.COMPLETED,
                null,
                null,
                "continued as a new run",
                engine.newRun(handler.definition(), input));
    }

    private Ended ended(RunStatus status, @Nullable String result, @Nullable String error, @Nullable String reason) {
        return new Ended(claim, status, result, error, reason, null);
    }

    private Parked parked(Park park) {
        RunStatus status = compensating
                ? RunStatus.COMPENSATING
                : park.events().isEmpty() ? RunStatus.SLEEPING : RunStatus.WAITING;
        return new Parked(claim, status, park.due(), park.events(), null, false);
    }

    /** This node cannot go on with the run. A node that can may be there later, or now: so it is tried again from time to time. */
    private Parked blocked(RunStatus status, String reason) {
        return new Parked(claim, status, now().plus(TRY_BLOCKED_AGAIN), Set.of(), reason, false);
    }

    /** The code has failed, or the run was cancelled: ends its children, and ends the run if there is nothing to compensate. */
    private Outcome fail(RunStatus endsAs, @Nullable String error, @Nullable String reason) {
        engine.cancelChildren(id(), "its parent run " + id() + (error == null ? " was cancelled" : " has failed"));
        if (!steps.anyToCompensate()) {
            return ended(endsAs, null, error, reason);
        }
        RunStatus compensated = endsAs == RunStatus.FAILED ? RunStatus.COMPENSATED : endsAs;
        engine.orBroken(() -> {
            engine.store().beginCompensating(claim, compensated, error, reason);
            return null;
        });
        return compensate(compensated, error, reason);
    }

    /** Runs the compensations that are not stored yet, in the reverse order in which their steps were stored. */
    private Outcome compensate(RunStatus endsAs, @Nullable String error, @Nullable String reason) {
        compensating = true;
        left = null;
        for (StepRow step : steps.lastFirst()) {
            String name = step.compensation();
            if (name == null) {
                continue;
            }
            CompensationHandler compensation = engine.compensations().get(name);
            if (compensation == null) {
                return blocked(
                        RunStatus.BLOCKED_MISSING_HANDLER,
                        "this version's nodes have no compensation '" + name + "', which step '" + step.name()
                                + "' needs");
            }
            try {
                StepCall.compensate(new Branch(this, "c."), step, compensation);
            } catch (StepFailed e) {
                String problem = "compensation '" + name + "' of step '" + step.name() + "' failed: " + e.error();
                return ended(
                        RunStatus.FAILED,
                        null,
                        error == null ? problem : problem + "\nthe run had failed: " + error,
                        reason);
            }
        }
        return ended(endsAs, null, error, reason);
    }

    /** What is stored under this path; null if nothing is. */
    @Nullable
    StepRow stored(String path) {
        return steps.get(path);
    }

    /** Called before something new begins. */
    void checkGoesOn() {
        if (cancelRequested && run.endsAs() == null && !compensating) {
            throw leave(new Cancelled());
        }
        // A run that was asked to end does not wait for its workflow to be resumed.
        if (paused && !cancelRequested) {
            throw leave(new Paused());
        }
        if (steps.size() >= MAX_STEPS) {
            throw new MusterException("the run has " + MAX_STEPS
                    + " steps, and a run may not have more: end it with continueAsNew, which starts a new run");
        }
    }

    /** Stores a step and returns what is stored then. */
    StepRow save(StepRow row) {
        return note(engine.orBroken(() -> engine.store().save(claim, row, job.nodeId())));
    }

    StepRow awaitEvent(StepRow row, String event, @Nullable Duration timeout) {
        return note(engine.orBroken(() -> engine.store().awaitEvent(claim, row, event, timeout, job.nodeId())));
    }

    /** Stores a step in this transaction; to be noted when that has committed. */
    SavedStep saveIn(Connection connection, StepRow row) throws SQLException {
        return engine.store().saveIn(connection, claim, row, job.nodeId());
    }

    /** Notes a step that is committed, and what was learnt of the run then. */
    StepRow note(SavedStep saved) {
        steps.put(saved.row());
        cancelRequested |= saved.cancelRequested();
        paused |= saved.paused();
        return saved.row();
    }

    ClaimRef claim() {
        return claim;
    }

    /** A failure that is not the step's own: the node stops, the claim is gone, or the thread was interrupted by neither. */
    boolean isNotTheSteps(Throwable failure) {
        return failure instanceof LeaveCode || failure instanceof ClaimLost || job.isCancelled();
    }
}
