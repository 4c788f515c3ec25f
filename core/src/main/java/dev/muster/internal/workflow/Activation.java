package dev.muster.internal.workflow;

import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.ErrorText;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.job.payload.TooLarge;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.workflow.LeaveCode.Blocked;
import dev.muster.internal.workflow.LeaveCode.Broken;
import dev.muster.internal.workflow.LeaveCode.Cancelled;
import dev.muster.internal.workflow.LeaveCode.Park;
import dev.muster.internal.workflow.LeaveCode.Paused;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.LoadedRun;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Parked;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import dev.muster.internal.workflow.WorkflowStore.ServerReplaced;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.ContinueAsNew;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepFailed;
import dev.muster.workflow.WorkflowType;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a driver: replays the stored steps, runs the next ones, and ends with what becomes of the run. Branches of the run use it
 * from several threads.
 */
final class Activation {
    /** How many steps a run may have: each activation reads them all. */
    private static final int MAX_STEPS = 10_000;

    /** How long the results of a run may be together, for the same reason. */
    private static final long MAX_CHARACTERS = 64L << 20;

    private static final Duration TRY_BLOCKED_AGAIN = Duration.ofMinutes(1);

    private static final int MAX_CAUSES = 20;

    private final WorkflowEngine engine;
    private final WorkflowHandler handler;
    private final JobContext job;
    private final ClaimRef claim;
    private final RunClaim held;
    private final LoadedRun run;
    private final long loadedAt;
    private final StoredSteps steps;

    /** The steps whose failures the code has got, and whether a retry can change them. It is its own lock. */
    private final Map<String, Boolean> thrown = new LinkedHashMap<>();

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
        this.held = new RunClaim(claim, run.timeline());
        this.run = run;
        this.loadedAt = engine.clock().nanos();
        this.cancelRequested = run.cancelRequested();
        this.paused = run.paused();
        this.steps = new StoredSteps(run.steps());
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
        if (run.unknown() != null) {
            // Not even a request to end can be met here: if it made the driver due, this node would claim it again at
            // once.
            return blocked(
                    new Blocked(
                            RunStatus.BLOCKED_SIGNATURE_MISMATCH,
                            run.unknown() + ", which the version of Muster on node " + job.nodeId()
                                    + " does not know; the run continues on a node that has a newer one"),
                    true);
        }
        try {
            if (run.endsAs() == null) {
                return runCode();
            }
            // Whoever gave the run up may not have come to that: its driver died, for example.
            cancelChildren(run.error());
            return compensate(run.endsAs(), run.error());
        } catch (Park park) {
            return parked(park);
        } catch (Paused e) {
            RunStatus status = compensating ? RunStatus.COMPENSATING : RunStatus.WAITING;
            return new Parked(claim, status, null, Set.of(), e.getMessage(), true);
        } catch (Blocked e) {
            return blocked(e, false);
        } catch (Broken broken) {
            if (broken.getCause() instanceof UnreadablePayload unreadable) {
                // Another node may have the key.
                engine.reportUnreadable(id(), unreadable);
                return AttemptRules.putBack(claim, job.nodeId(), unreadable.getMessage());
            }
            if (broken.getCause() instanceof ServerReplaced) {
                engine.reportReplaced(id());
                return new Outcome.Released(claim);
            }
            throw engine.unwrap(broken);
        }
    }

    private Outcome runCode() {
        try {
            return TooLarge.is(run.input())
                    ? fail(RunStatus.FAILED, "its input cannot be read: " + TooLarge.WHY, List.of())
                    : endOfCode();
        } catch (Cancelled e) {
            return fail(RunStatus.CANCELLED_BY_OPERATOR, null, List.of());
        }
    }

    /**
     * Runs the code. If it was to be left, that counts, whatever the code has made of it: swallowed it, wrapped it, or thrown something
     * else in a {@code finally}.
     */
    private Outcome endOfCode() {
        try {
            code.checkContinues();
            Object result = handler.body().run(code, input());
            code.rethrow();
            requireAllAskedFor("the code has ended");
            return ended(RunStatus.COMPLETED, engine.seal(id(), result), null, List.of());
        } catch (LeaveCode e) {
            code.rethrow();
            throw e;
        } catch (Throwable e) {
            code.rethrow();
            ContinueAsNew next = ContinueAsNew.in(e);
            if (next != null) {
                return continueAsNew(next);
            }
            if (job.isCancelled() || e instanceof VirtualMachineError) {
                throw new Broken(e);
            }
            return failed(e);
        } finally {
            code.end();
        }
    }

    private @Nullable Object input() {
        return read(Kind.ARGS, () -> engine.payloads().openToRun(id(), run.input()), run.input(), handler.input());
    }

    /**
     * Reads a stored value.
     *
     * @param open decrypts it; also called if nobody wants the value, because a node that lacks the key would continue in plain text
     */
    @Nullable
    Object read(Kind kind, Supplier<String> open, String stored, @Nullable Type type) {
        String json;
        try {
            json = open.get();
        } catch (UnreadablePayload e) {
            throw leave(new Broken(e));
        }
        if (type == null || type == Void.class) {
            return null;
        }
        try {
            return engine.json().read(json, type);
        } catch (JsonException e) {
            String problem =
                    "the " + (kind == Kind.ARGS ? "input" : kind.text()) + " does not fit " + type.getTypeName() + ": ";
            // The message may quote the value, and errors are stored in plain text.
            throw Payloads.isEnvelope(stored)
                    ? new JsonException(problem + "what is wrong is not said, because it is encrypted", null)
                    : new JsonException(problem + e.getMessage(), e);
        }
    }

    /** Reads a value that belongs to a position in the run, such as the result of a step. */
    @Nullable
    Object readAt(Kind kind, String position, String stored, @Nullable Type type) {
        JobId sealedFor = kind == Kind.EVENT ? run.firstRun() : id();
        return read(kind, () -> engine.payloads().openToRun(sealedFor, kind, position, stored), stored, type);
    }

    /** Code that ends before it has come to all stored steps is not the code that stored them. */
    private void requireAllAskedFor(String what) {
        steps.notAskedFor().ifPresent(step -> {
            throw Blocked.mismatch("step " + step.path() + " was " + Branch.describe(step.kind(), step.name())
                    + ", but " + what + " without it");
        });
    }

    private Outcome failed(Throwable failure) {
        String error = ErrorText.of(failure);
        requireAllAskedFor("the code has failed (" + error.lines().findFirst().orElse("") + ")");
        Set<String> paths = new LinkedHashSet<>();
        collectFailedSteps(failure, paths, Collections.newSetFromMap(new IdentityHashMap<>()), 0);
        return fail(RunStatus.FAILED, error, paths.isEmpty() ? lastFailures() : List.copyOf(paths));
    }

    /**
     * The code has thrown something else than the failure of a step: what it got last counts, perhaps from several branches at the same
     * time. An optional step counts if nothing came after it.
     */
    private List<String> lastFailures() {
        List<StepRow> stored = steps.lastFirst();
        Map<String, Boolean> failures;
        synchronized (thrown) {
            failures = new LinkedHashMap<>(thrown);
        }
        stored.stream()
                .limit(1)
                .filter(step -> step.state() == StepState.FAILED)
                .forEach(step -> failures.putIfAbsent(step.path(), true));
        return failures.keySet().stream()
                .filter(path -> failures.keySet().stream().noneMatch(other -> StepPaths.isAfter(other, path)))
                // Code that continued after the end of a child that does not run again has dealt with it: the child
                // would keep the run from being retried.
                .filter(path -> Boolean.TRUE.equals(failures.get(path))
                        || stored.stream().noneMatch(step -> StepPaths.isAfter(step.path(), path)))
                .toList();
    }

    /**
     * A failure that the code gets, and may catch.
     *
     * @param canRunAgain whether a retry of the run can change it
     */
    StepFailed stepFailed(String path, String name, String error, boolean canRunAgain) {
        synchronized (thrown) {
            thrown.put(path, canRunAgain);
        }
        return new StepFailed(path, name, error);
    }

    /** @param seen exceptions that name each other as causes or as suppressed are looked at once */
    private static void collectFailedSteps(
            @Nullable Throwable failure, Set<String> paths, Set<Throwable> seen, int depth) {
        if (failure == null || depth > MAX_CAUSES || !seen.add(failure)) {
            return;
        }
        if (failure instanceof StepFailed step) {
            paths.add(step.path());
        }
        collectFailedSteps(failure.getCause(), paths, seen, depth + 1);
        for (Throwable other : failure.getSuppressed()) {
            collectFailedSteps(other, paths, seen, depth + 1);
        }
    }

    /** Makes all branches leave the code at their next call, because the whole run cannot continue. */
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

    private Outcome continueAsNew(ContinueAsNew next) {
        NewRun successor;
        try {
            requireAllAskedFor("the code continues as a new run");
            successor = engine.newRun(engine.versionToContinue(handler.definition()), next.input());
        } catch (MusterException e) {
            return failed(e);
        }
        return new Ended(
                claim,
                RunStatus.COMPLETED,
                null,
                null,
                List.of(),
                "continued as run " + successor.id(),
                run.child(),
                successor);
    }

    private Ended ended(RunStatus status, @Nullable String result, @Nullable String error, List<String> failedSteps) {
        return new Ended(claim, status, result, error, failedSteps, null, run.child(), null);
    }

    private Parked parked(Park park) {
        RunStatus status = compensating
                ? RunStatus.COMPENSATING
                : park.events().isEmpty() ? RunStatus.SLEEPING : RunStatus.WAITING;
        return new Parked(claim, status, park.due(), park.events(), null, false);
    }

    /** This node cannot continue with the run. A node that can may be there later, or now: so it is tried again from time to time. */
    private Parked blocked(Blocked blocked, boolean elsewhere) {
        Instant due = now().plus(TRY_BLOCKED_AGAIN);
        return new Parked(claim, blocked.status(), due, Set.of(), blocked.getMessage(), false, elsewhere);
    }

    /** The code has failed, or the run was cancelled: ends its children, and ends the run if there is nothing to compensate. */
    private Outcome fail(RunStatus endsAs, @Nullable String error, List<String> failedSteps) {
        cancelChildren(error);
        if (!steps.anyToCompensate()) {
            return ended(endsAs, null, error, failedSteps);
        }
        RunStatus compensated = endsAs == RunStatus.FAILED ? RunStatus.COMPENSATED : endsAs;
        engine.orBroken(() -> {
            engine.store().beginCompensating(held, compensated, error);
            return null;
        });
        return compensate(compensated, error);
    }

    private void cancelChildren(@Nullable String error) {
        engine.cancelChildren(claim, "its parent run " + id() + (error == null ? " was cancelled" : " has failed"));
    }

    /** Runs the compensations that are not stored yet, in the reverse order in which their steps were stored. */
    private Outcome compensate(RunStatus endsAs, @Nullable String error) {
        compensating = true;
        left = null;
        for (StepRow step : steps.lastFirst()) {
            String name = step.compensation();
            if (name == null) {
                continue;
            }
            CompensationHandler compensation = engine.compensations().get(name);
            if (compensation == null) {
                throw new Blocked(
                        RunStatus.BLOCKED_MISSING_HANDLER,
                        "node " + job.nodeId() + " has no compensation '" + name + "', which step '" + step.name()
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
                        List.of(e.path()));
            }
        }
        return ended(endsAs, null, error, List.of());
    }

    /** What is stored under this path; null if nothing is. */
    @Nullable
    StepRow stored(String path) {
        return steps.get(path);
    }

    /** Whether steps of branches were stored under this path. */
    boolean isParallel(String path) {
        return steps.isParallel(path);
    }

    /** Called before a step begins that is not stored yet. */
    void requireRoom() {
        if (steps.size() >= MAX_STEPS || steps.characters() > MAX_CHARACTERS) {
            throw new MusterException("the run has " + steps.size() + " steps with " + steps.characters()
                    + " characters of results; a run may have " + MAX_STEPS + " and " + MAX_CHARACTERS
                    + ": end it with continueAsNew, which starts a new run");
        }
    }

    /** Called before an attempt begins. */
    void checkContinues() {
        if (engine.store().serverReplaced(held)) {
            throw leave(new Broken(new ServerReplaced(id())));
        }
        if (cancelRequested && run.endsAs() == null && !compensating) {
            throw leave(new Cancelled());
        }
        // A run that was asked to end does not wait for its workflow to be resumed.
        if (paused && !cancelRequested) {
            throw leave(new Paused());
        }
    }

    /** Stores a step and returns what is stored then. */
    StepRow save(StepRow row) {
        return orLeave(() -> note(engine.orBroken(() -> engine.store().save(held, row, job.nodeId()))));
    }

    StepRow awaitEvent(StepRow row, String event, @Nullable Duration timeout) {
        return orLeave(() ->
                note(engine.orBroken(() -> engine.store().awaitEvent(held, row, event, timeout, job.nodeId()))));
    }

    void startChild(WorkflowType<?, ?> type, @Nullable Object input, String path) {
        orLeave(() -> {
            engine.startChild(this, type, input, path);
            return path;
        });
    }

    /** Makes a call for the code. If the code is left because of it, that counts even if the code swallows it. */
    <T> T orLeave(Supplier<T> call) {
        try {
            return call.get();
        } catch (LeaveCode e) {
            throw leave(e);
        }
    }

    /** Stores a step in this transaction; to be noted when that has committed. */
    SavedStep saveIn(Connection connection, StepRow row) throws SQLException {
        return engine.store().saveIn(connection, held, row, job.nodeId());
    }

    /** Notes a step that is committed, and what was learnt of the run then. */
    StepRow note(SavedStep saved) {
        steps.put(saved.row());
        // Branches note steps at the same time: none may take back what another one has learnt.
        if (saved.cancelRequested()) {
            cancelRequested = true;
        }
        if (saved.paused()) {
            paused = true;
        }
        return saved.row();
    }

    RunClaim held() {
        return held;
    }

    /**
     * A failure that is not the step's own: the node stops, the claim is gone, or another branch has found that the run cannot continue, and
     * this one was interrupted for it.
     */
    boolean isNotTheSteps(Throwable failure) {
        return failure instanceof LeaveCode
                || failure instanceof ClaimLost
                || left instanceof Broken
                || job.isCancelled();
    }
}
