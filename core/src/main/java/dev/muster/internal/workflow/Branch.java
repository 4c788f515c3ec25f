package dev.muster.internal.workflow;

import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.workflow.LeaveCode.Blocked;
import dev.muster.internal.workflow.LeaveCode.Park;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.JobId;
import dev.muster.job.TypeRef;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.ContinueAsNew;
import dev.muster.workflow.ReceivedEvent;
import dev.muster.workflow.Step;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One line of calls of a workflow's code: the code itself, or a branch of {@link #parallel}. The n-th call has the path n. */
final class Branch implements WorkflowContext {
    /** What was due before the database's calendar begins has been due since then. */
    private static final Instant EARLIEST = Instant.EPOCH;

    /** What is due later than the database can say is due then. */
    private static final Instant LATEST = Instant.parse("9000-01-01T00:00:00Z");

    private static final Duration LONGEST = Duration.ofDays(365_000);

    private final Activation run;
    private final String prefix;
    private final RandomGenerator random;
    private int next;
    private int uuids;
    private volatile @Nullable Park parked;
    private volatile boolean ended;

    /** What runs on this branch, during which the code must not use it; null if only the code does. */
    private final AtomicReference<@Nullable String> busy = new AtomicReference<>();

    /** @param prefix the path of this branch; empty, or ends with a dot */
    Branch(Activation run, String prefix) {
        this.run = run;
        this.prefix = prefix;
        UUID seed = named("random");
        this.random = new SplittableRandom(seed.getMostSignificantBits() ^ seed.getLeastSignificantBits());
    }

    private UUID named(String what) {
        return UUID.nameUUIDFromBytes((run.id() + "/" + prefix + what).getBytes(StandardCharsets.UTF_8));
    }

    Activation run() {
        return run;
    }

    /** Leaves the code of this branch, also if it catches this. */
    Park park(@Nullable Instant due, Set<String> events) {
        return park(new Park(due, events));
    }

    private Park park(Park reason) {
        parked = reason;
        return reason;
    }

    /** Code that has swallowed what it was to be left with must not continue, and must not be taken for code that has ended. */
    void rethrow() {
        run.rethrow();
        Park pending = parked;
        if (pending != null) {
            throw pending;
        }
    }

    /** Why the code was to be left, whatever it has thrown instead; what it has thrown if it was not to be left. */
    Throwable reasonToLeave(Throwable thrown) {
        try {
            rethrow();
            return thrown;
        } catch (LeaveCode pending) {
            return pending;
        }
    }

    /** The code of this branch has ended: what it has left running, or handed out, must not continue with it. */
    void end() {
        ended = true;
    }

    /** What each call begins with: code that has swallowed what it was to be left with gets it again before anything happens. */
    void enter() {
        rethrow();
        requireNotEnded();
        requireFree();
    }

    private void requireNotEnded() {
        if (ended) {
            throw new MusterException(
                    "the context of a workflow, or of a branch, must not be used when its code has ended:"
                            + " nobody would wait for the call");
        }
    }

    /** Called before an attempt begins. */
    void checkContinues() {
        rethrow();
        run.checkContinues();
    }

    /** Called before something begins that is not stored yet. */
    void checkBegins() {
        checkContinues();
        run.requireRoom();
    }

    /** Makes one of the code's calls, and no other meanwhile. */
    <T> T call(String what, Supplier<T> call) {
        enter();
        while (!busy.compareAndSet(null, what)) {
            requireFree();
        }
        try {
            return call.get();
        } finally {
            busy.set(null);
        }
    }

    /**
     * Refuses calls that a replay would count in another way: those inside a step or beside branches, which do not run in the same way then, and
     * those of two threads at a time, whose order nothing decides.
     */
    private void requireFree() {
        String what = busy.get();
        if (what != null) {
            throw new MusterException("the workflow's context must not be used inside " + what
                    + ", nor by two threads at the same time: a replay would count its calls otherwise");
        }
    }

    /**
     * What is stored under this path; null if nothing is.
     *
     * @throws Blocked if it is something else than what the code asks for
     */
    @Nullable
    StepRow stored(String path, StepKind kind, String name) {
        rethrow();
        requireNotEnded();
        StepRow row = run.stored(path);
        if (row != null && (row.kind() != kind || !row.name().equals(name))) {
            throw mismatch(path, describe(row.kind(), row.name()), describe(kind, name));
        }
        if (row == null && run.isParallel(path)) {
            throw mismatch(path, "parallel branches", describe(kind, name));
        }
        return row;
    }

    private Blocked mismatch(String path, String was, String is) {
        return run.leave(Blocked.mismatch("step " + path + " was " + was + ", the code asks for " + is));
    }

    static String describe(StepKind kind, String name) {
        return switch (kind) {
            case STEP, COMPENSATION -> "'" + name + "'";
            case EVENT -> "a wait for '" + name + "'";
            case CHILD -> "the child '" + name + "'";
            case SLEEP -> "a sleep";
            case TIME -> "a call of now()";
        };
    }

    private String nextPath() {
        return prefix + next++;
    }

    @Override
    public JobId runId() {
        return run.id();
    }

    @Override
    public String workflow() {
        return run.handler().definition().name();
    }

    @Override
    public String version() {
        return run.handler().definition().version();
    }

    @Override
    public <R> Step<R> step(String name, Class<R> result) {
        return newStep(name, result);
    }

    @Override
    public <R> Step<R> step(String name, TypeRef<R> result) {
        return newStep(name, result.type());
    }

    @Override
    public Step<Void> step(String name) {
        return newStep(name, Void.class);
    }

    private <R> Step<R> newStep(String name, Type result) {
        run.handler().requireDeclared(name);
        return new PlannedStep<>(this, call("step '" + name + "'", this::nextPath), name, result);
    }

    @Override
    public <R> List<@Nullable R> parallel(List<Function<WorkflowContext, @Nullable R>> branches) {
        return call("its parallel branches, which have contexts of their own", () -> parallel(nextPath(), branches));
    }

    private <R> List<@Nullable R> parallel(String path, List<Function<WorkflowContext, @Nullable R>> branches) {
        StepRow row = run.stored(path);
        if (row != null) {
            throw mismatch(path, describe(row.kind(), row.name()), "parallel branches");
        }
        try {
            return run.engine().branches().run(branches, number -> new Branch(run, path + "." + number + "."));
        } catch (Park e) {
            throw park(e);
        }
    }

    @Override
    public <I, R> @Nullable R child(WorkflowType<I, R> type, @Nullable I input) {
        return call(describe(StepKind.CHILD, type.name()), () -> child(nextPath(), type, input));
    }

    private <I, R> @Nullable R child(String path, WorkflowType<I, R> type, @Nullable I input) {
        StepRow row = stored(path, StepKind.CHILD, type.name());
        if (row == null || !row.state().isFinal()) {
            if (row == null) {
                checkBegins();
                run.startChild(type, input, path);
            }
            row = run.awaitEvent(waiting(path, type.name(), StepKind.CHILD), WorkflowEngine.childEvent(path), null);
        }
        if (!row.state().isFinal()) {
            throw park(row.due(), Set.of(WorkflowEngine.childEvent(path)));
        }
        try {
            return run.engine().childResult(run, type, path, String.valueOf(row.result()));
        } catch (JsonException e) {
            throw run.leave(Blocked.mismatch(
                    "step " + path + " " + describe(StepKind.CHILD, type.name()) + ": " + e.getMessage()));
        }
    }

    @Override
    public void sleep(Duration duration) {
        sleep(null, Durations.between(Duration.ZERO, LONGEST, duration));
    }

    @Override
    public void sleepUntil(Instant instant) {
        Instant earliest = instant.isAfter(EARLIEST) ? instant : EARLIEST;
        sleep(earliest.isBefore(LATEST) ? earliest : LATEST, null);
    }

    private void sleep(@Nullable Instant until, @Nullable Duration duration) {
        call(describe(StepKind.SLEEP, ""), () -> slept(nextPath(), until, duration));
    }

    /** Returns the sleep, once it is over. */
    private StepRow slept(String path, @Nullable Instant until, @Nullable Duration duration) {
        StepRow row = stored(path, StepKind.SLEEP, "");
        if (row == null) {
            checkBegins();
            row = run.save(new StepRow(
                    path, "", StepKind.SLEEP, StepState.WAITING, 1, null, null, until, duration, null, null));
        }
        Instant due = row.due();
        if (due != null && due.isAfter(run.now())) {
            throw park(due, Set.of());
        }
        return row;
    }

    @Override
    public <E> @Nullable E awaitEvent(String name, Class<E> type) {
        return event(name, type, null).flatMap(ReceivedEvent::payload).orElse(null);
    }

    @Override
    public <E> Optional<E> awaitEvent(String name, Class<E> type, Duration timeout) {
        return receiveEvent(name, type, timeout).flatMap(ReceivedEvent::payload);
    }

    @Override
    public <E> Optional<ReceivedEvent<E>> receiveEvent(String name, Class<E> type, Duration timeout) {
        return event(name, type, Durations.between(Duration.ZERO, LONGEST, timeout));
    }

    private <E> Optional<ReceivedEvent<E>> event(String name, Class<E> type, @Nullable Duration timeout) {
        WorkflowEngine.requireEventName(name);
        return call(describe(StepKind.EVENT, name), () -> event(nextPath(), name, type, timeout));
    }

    /** The cast is safe because the value was read as this type, which may be a primitive one. */
    @SuppressWarnings("unchecked")
    private <E> Optional<ReceivedEvent<E>> event(String path, String name, Class<E> type, @Nullable Duration timeout) {
        StepRow row = stored(path, StepKind.EVENT, name);
        if (row == null || !row.state().isFinal()) {
            if (row == null) {
                checkBegins();
            }
            row = run.awaitEvent(waiting(path, name, StepKind.EVENT), name, timeout);
        }
        if (!row.state().isFinal()) {
            throw park(row.due(), Set.of(name));
        }
        if (row.state() == StepState.TIMED_OUT) {
            return Optional.empty();
        }
        String payload = row.result();
        try {
            return Optional.of(
                    new ReceivedEvent<>(payload == null ? null : (E) run.readAt(Kind.EVENT, name, payload, type)));
        } catch (JsonException e) {
            throw run.stepFailed(path, name, String.valueOf(e.getMessage()), true);
        }
    }

    private static StepRow waiting(String path, String name, StepKind kind) {
        return new StepRow(path, name, kind, StepState.WAITING, 1, null, null, null, null, null, null);
    }

    @Override
    public Instant now() {
        return call(describe(StepKind.TIME, ""), () -> now(nextPath()));
    }

    private Instant now(String path) {
        StepRow row = stored(path, StepKind.TIME, "");
        if (row == null) {
            checkBegins();
            String text = "\"" + run.now() + "\"";
            row = run.save(
                    new StepRow(path, "", StepKind.TIME, StepState.COMPLETED, 1, text, null, null, null, null, null));
        }
        String stored = String.valueOf(row.result());
        return Instant.parse(stored.substring(1, stored.length() - 1));
    }

    @Override
    public RandomGenerator random() {
        enter();
        // The code may keep the generator, and must not draw inside a step either.
        return () -> call("the draw of a number", random::nextLong);
    }

    @Override
    public UUID uuid() {
        return call("a call of uuid()", () -> named("uuid-" + uuids++));
    }

    @Override
    public ContinueAsNew continueAsNew(@Nullable Object input) {
        enter();
        return new ContinueAsNew(input);
    }
}
