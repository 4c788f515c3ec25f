package dev.muster.internal.workflow;

import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.node.HandlerTransactions.LostCommit;
import dev.muster.internal.node.HandlerTransactions.Transaction;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.internal.telemetry.Traces;
import dev.muster.internal.workflow.LeaveCode.Blocked;
import dev.muster.internal.workflow.LeaveCode.Broken;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.internal.workflow.WorkflowStore.FormerChild;
import dev.muster.internal.workflow.WorkflowStore.FormerState;
import dev.muster.internal.workflow.WorkflowStore.LoadedRun;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.ServerReplaced;
import dev.muster.internal.workflow.WorkflowStore.StartedChild;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.Unstorable;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.WorkflowType;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all activations of a node share. */
final class WorkflowEngine {
    /** What the names and ids of Muster's own events begin with. */
    static final String OWN_EVENTS = "muster:";

    private static final String CHILD_EVENT = OWN_EVENTS + "child:";

    private static final Logger log = LoggerFactory.getLogger(WorkflowEngine.class);

    private final NodeContext node;
    private final AtomicLong unreadableReported = new AtomicLong();
    private final WorkflowStore store;
    private final FailedRuns failedRuns;
    private final HandlerTransactions transactions;
    private final List<Definition> own;
    private final Map<String, CompensationHandler> compensations;
    private final StepTimer timer;
    private final BranchThreads branches;

    /** @param own the workflows that this process has the code of */
    WorkflowEngine(NodeContext node, List<Definition> own, Collection<CompensationHandler> compensations) {
        this.node = node;
        this.own = own;
        this.store = node.port(WorkflowStore.class);
        this.failedRuns = new FailedRuns(store);
        this.transactions = node.port(HandlerTransactions.class);
        this.compensations = compensations.stream()
                .collect(Collectors.toMap(CompensationHandler::name, Function.identity(), (a, b) -> {
                    throw new MusterException("two compensations are registered as '" + a.name() + "'");
                }));
        this.timer = new StepTimer(node.config().worker().jobTimeout(), node.clock());
        this.branches = new BranchThreads(node.config().worker().concurrency());
    }

    void stop() {
        timer.stop();
        branches.stop();
    }

    WorkflowStore store() {
        return store;
    }

    Clock clock() {
        return node.clock();
    }

    Traces traces() {
        return node.telemetry().traces();
    }

    StepTimer timer() {
        return timer;
    }

    BranchThreads branches() {
        return branches;
    }

    Map<String, CompensationHandler> compensations() {
        return compensations;
    }

    JsonCodec json() {
        return node.json();
    }

    Payloads payloads() {
        return node.payloads();
    }

    /** Logs, at most once a minute, that this node lacks a key. */
    void reportUnreadable(JobId run, UnreadablePayload e) {
        long now = node.clock().nanos();
        long before = unreadableReported.get();
        if ((before == 0 || now - before > TimeUnit.MINUTES.toNanos(1))
                && unreadableReported.compareAndSet(before, now)) {
            log.error("run={} kid={} put back in the queue: {}", run, e.keyId(), e.getMessage());
        }
    }

    void reportReplaced(JobId run) {
        log.warn("run={} is loaded again: the database is on another server, on which steps of it may be missing", run);
    }

    /** Runs a driver. */
    Outcome activate(WorkflowHandler handler, JobContext job) throws Exception {
        ClaimRef claim = new ClaimRef(job.id(), job.fence().token());
        LoadedRun run = store.load(claim).orElse(null);
        if (run == null) {
            return new Outcome.Cancelled(claim, "its run is gone");
        }
        return new Activation(this, handler, job, claim, run).run();
    }

    /** The handler of the drivers of this workflow under one of its signatures. */
    static JobHandler driver(Definition definition, WorkflowHandler handler, Supplier<WorkflowEngine> engine) {
        return new JobHandler(
                definition.driver(),
                definition.options().lane(),
                definition.options().priority(),
                RetryPolicy.exponential(1000, Duration.ofSeconds(1), Duration.ofMinutes(1))
                        .withMaxCrashes(definition.options().maxCrashes()),
                Duration.ofHours(24),
                null,
                new JobHandler.Body() {
                    @Override
                    public Object run(JobContext context, @Nullable Object args) throws Exception {
                        return engine.get().activate(handler, context);
                    }

                    @Override
                    public void claimed(JobId job, long token) {
                        engine.get().store.expect(new ClaimRef(job, token));
                    }
                });
    }

    /** Runs a call to the store; whatever goes wrong there is no failure of the workflow's code. */
    <T> T orBroken(Callable<T> call) {
        try {
            return call.call();
        } catch (LeaveCode | Unstorable e) {
            throw e;
        } catch (Exception e) {
            throw new Broken(e);
        }
    }

    /** What the job engine is to see of an activation that could not continue. */
    Exception unwrap(Broken broken) {
        Throwable cause = broken.getCause();
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Exception exception
                ? exception
                : new MusterException(String.valueOf(broken.getMessage()));
    }

    /** Work in a transaction. */
    @FunctionalInterface
    interface TransactionWork<T> {
        T run(Connection connection) throws Exception;
    }

    /** Runs work in a transaction of its own. If the commit is not acknowledged, the activation cannot continue. */
    <T> T inTransaction(TransactionWork<T> work) throws Exception {
        Transaction transaction = begin();
        T result;
        try {
            result = work.run(transaction.connection());
        } catch (Throwable e) {
            boolean works = transaction.rollback();
            throw orBroken(e, works);
        }
        try {
            transaction.commit();
        } catch (LostCommit e) {
            throw new Broken(e);
        } catch (SQLException | RuntimeException e) {
            // Nothing was written. It is the step's failure if, for example, a constraint is checked at the commit.
            throw orBroken(e, false);
        }
        return result;
    }

    /**
     * What the database's absence causes is no failure of a step.
     *
     * @param works whether the step's own connection works: then the effect has lost another one, to another database perhaps
     */
    private static Exception orBroken(Throwable failure, boolean works) {
        if (failure instanceof DatabaseUnavailable
                || failure instanceof ServerReplaced
                || !works && SqlErrors.causedByLostConnection(failure)) {
            throw new Broken(failure);
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return (Exception) failure;
    }

    /** If there is no connection, the activation cannot continue; the step has not begun, and is not charged for it. */
    private Transaction begin() {
        try {
            return transactions.begin(Connection.TRANSACTION_READ_COMMITTED, false, null);
        } catch (SQLException | MusterException e) {
            throw new Broken(e);
        }
    }

    /** The result of a run as it is stored. */
    @Nullable
    String seal(JobId run, @Nullable Object value) {
        return value == null ? null : node.payloads().seal(run, Kind.RESULT, written(value));
    }

    /** A value that belongs to a position in the run as it is stored. */
    @Nullable
    String sealAt(JobId run, Kind kind, String position, @Nullable Object value) {
        return value == null ? null : node.payloads().seal(run, kind, position, written(value));
    }

    /** In the form that jsonb gives it: so the code sees the same value, in the same order, when it gets it from the database later. */
    private StorableJson written(@Nullable Object value) {
        String json;
        try {
            json = node.json().write(value);
        } catch (JsonException e) {
            throw new Unstorable("the value cannot be written as JSON: " + e.getMessage(), e);
        }
        try {
            StorableJson storable = StorableJson.of(json);
            if (storable.isTooLarge()) {
                throw new Unstorable(
                        "the value has " + storable.bytes() + " bytes of JSON, and may have " + StorableJson.MAX_BYTES
                                + "; store it elsewhere and return a reference",
                        null);
            }
            return storable.asStored();
        } catch (JsonException e) {
            throw new Unstorable("the value cannot be stored: " + e.getMessage(), e);
        }
    }

    /** A run continues in its version until that is deprecated: otherwise a workflow without an end would never leave it. */
    Definition versionToContinue(Definition current) {
        return orBroken(() -> store.resolveInsteadOf(current.name(), current.version()))
                .orElse(current);
    }

    NewRun newRun(Definition definition, @Nullable Object input) {
        JobId id = JobId.next();
        return new NewRun(
                id, false, definition, definition.options(), sealedInput(id, input), null, null, null, null, null);
    }

    private String sealedInput(JobId id, @Nullable Object input) {
        return node.payloads().seal(id, Kind.ARGS, written(input));
    }

    /** The event by which a child tells its parent that it has ended. */
    static String childEvent(String path) {
        return CHILD_EVENT + path;
    }

    static void requireEventName(String name) {
        Names.require("event name", name);
        if (name.startsWith(OWN_EVENTS)) {
            throw new MusterException(
                    "an event's name must not begin with '" + OWN_EVENTS + "', as '" + name + "' does");
        }
    }

    /** Starts a child unless it exists: its id follows from its parent's and its path. */
    void startChild(Activation parent, WorkflowType<?, ?> type, @Nullable Object input, String path) {
        JobId id = childId(parent.id(), path);
        FormerChild former = write(parent, type, input, path, id, store::startChild);
        if (former != null && !goesOn(parent, former, type, input, path)) {
            JobId other = childId(parent.id(), path + "~" + former.id());
            write(parent, type, input, path, other, store::replaceChild);
        }
    }

    /** Writes a child; returns the one that a retry has forgotten, and nothing is written then. */
    private @Nullable FormerChild write(
            Activation parent,
            WorkflowType<?, ?> type,
            @Nullable Object input,
            String path,
            JobId id,
            BiFunction<RunClaim, NewRun, StartedChild> write) {
        String sealed = sealedInput(id, input);
        Definition definition = orBroken(() -> store.resolve(type.name(), null))
                .or(() -> DatabaseWorkflows.among(own, orBroken(store::definitions), type.name(), null))
                .orElseThrow(() -> parent.leave(new Blocked(
                        RunStatus.BLOCKED_MISSING_HANDLER,
                        "no live node serves an active version of the child workflow '" + type.name() + "'")));
        return orBroken(() -> {
            NewRun child =
                    new NewRun(id, true, definition, definition.options(), sealed, null, null, parent.id(), path, null);
            StartedChild started = RunTraces.publish(
                    traces(),
                    List.of(child),
                    parent.job().trace().orElse(null),
                    runs -> write.apply(parent.held(), runs.get(0)));
            node.coordinator().notifyNewWork(started.lanes());
            return started.former();
        });
    }

    /**
     * Whether a child that a retry has forgotten is the one that the code asks for now: then its parent waits for its end, or takes it
     * once more. One that has ended in another way than completed is retried if it can be.
     */
    private boolean goesOn(
            Activation parent, FormerChild former, WorkflowType<?, ?> type, @Nullable Object input, String path) {
        FormerState state = former.state();
        if (state == null) {
            return false;
        }
        boolean sameWorkflow = state.workflow().equals(type.name());
        if (former.again() && !sameWorkflow) {
            throw parent.leave(Blocked.mismatch("step " + path + " was "
                    + Branch.describe(StepKind.CHILD, state.workflow())
                    + ", which was retried together with this run; the code asks for "
                    + Branch.describe(StepKind.CHILD, type.name())));
        }
        if (!former.again() && !(sameWorkflow && hadInput(parent, state, input))) {
            return false;
        }
        if (state.goesOn()) {
            return true;
        }
        return switch (state.status()) {
            case COMPLETED ->
                orBroken(() -> {
                    store.tellAgain(parent.held(), path);
                    return true;
                });
            case FAILED -> orBroken(() -> retried(state.last()));
            // Whoever has asked a child to end that was retried with its parent has its reasons.
            default -> former.again() && !state.status().isTerminal();
        };
    }

    private boolean hadInput(Activation parent, FormerState former, @Nullable Object input) {
        try {
            return payloads()
                    .openToRun(former.first(), former.input())
                    .equals(written(input).text());
        } catch (UnreadablePayload e) {
            throw parent.leave(new Broken(e));
        }
    }

    private boolean retried(JobId child) {
        try {
            node.coordinator().notifyNewWork(failedRuns.retry(child));
            return true;
        } catch (FailedRuns.Refused e) {
            return false;
        }
    }

    /** Asks the children of a run that cannot complete any more to end. */
    void cancelChildren(ClaimRef parent, String reason) {
        orBroken(() -> {
            node.coordinator().notifyNewWork(store.cancelChildren(parent, reason));
            return null;
        });
    }

    /** What the child's end has told its parent: its status, and its result or error. */
    @SuppressWarnings("unchecked")
    <R> @Nullable R childResult(Activation parent, WorkflowType<?, R> type, String path, String told) {
        if (!(node.json().read(told, Map.class) instanceof Map<?, ?> end)) {
            throw new MusterException("the end of child '" + type.name() + "' is not readable: " + told);
        }
        if (!RunStatus.COMPLETED.text().equals(end.get("status"))) {
            throw parent.stepFailed(
                    path,
                    type.name(),
                    "the child run " + end.get("run") + " ended as " + end.get("status")
                            + (end.get("error") == null ? "" : ": " + end.get("error")),
                    RunStatus.FAILED.text().equals(end.get("status")));
        }
        if (!(end.get("result") instanceof String result)) {
            return null;
        }
        JobId child = JobId.of(String.valueOf(end.get("run")));
        return (R) parent.read(
                Kind.RESULT, () -> node.payloads().openToRun(child, Kind.RESULT, result), result, type.result());
    }

    /** Follows from the parent's id and the path, and sorts beside the parent's. */
    private static JobId childId(JobId parent, String path) {
        UUID hash = UUID.nameUUIDFromBytes((parent + "/" + path).getBytes(StandardCharsets.UTF_8));
        long time = parent.value().getMostSignificantBits() & ~0xffffL;
        return JobId.of(
                new UUID(time | 0x7000L | hash.getMostSignificantBits() & 0xfffL, hash.getLeastSignificantBits()));
    }
}
