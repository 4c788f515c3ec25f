package dev.muster.internal.workflow;

import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.PollingWait;
import dev.muster.internal.runtime.ResultJson;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.internal.runtime.StorableText;
import dev.muster.internal.workflow.WorkflowStore.Chain;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Signalled;
import dev.muster.internal.workflow.WorkflowStore.Started;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.Lane;
import dev.muster.job.RawJson;
import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStarter;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflow.Lifecycle;
import dev.muster.workflow.WorkflowType;
import dev.muster.workflow.Workflows;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@link Workflows} over a {@link WorkflowStore}. */
final class DatabaseWorkflows implements Workflows {
    private static final int MAX_EVENT_ID = 255;
    private static final int MAX_REASON = 10_000;

    private final NodeContext node;
    private final WorkflowStore store;
    private final FailedRuns failedRuns;
    private final List<WorkflowHandler> own;

    /** @param own the workflows that this process has the code of */
    DatabaseWorkflows(NodeContext node, List<WorkflowHandler> own) {
        this.node = node;
        this.own = own;
        this.store = node.port(WorkflowStore.class);
        this.failedRuns = new FailedRuns(store);
    }

    @Override
    public List<JobId> startAll(Collection<RunRequest> requests) {
        Optional<Connection> joined = node.currentTransaction().current();
        if (joined.isPresent()) {
            Started started = start(joined.get(), requests);
            node.currentTransaction().afterCommit(() -> wake(started.lanes()));
            return started.ids();
        }
        List<NewRun> runs = checked(requests);
        Started started;
        try {
            started = RunTraces.publish(node.telemetry().traces(), runs, null, store::start);
        } catch (OutcomeUnknown e) {
            throw runs.size() == 1 ? e.creating(runs.get(0).id()) : e;
        }
        wake(started.lanes());
        return started.ids();
    }

    private Started start(Connection connection, Collection<RunRequest> requests) {
        return RunTraces.publish(node.telemetry().traces(), checked(requests), null, runs -> {
            try {
                return store.start(connection, runs);
            } catch (SQLException e) {
                throw failed(e);
            }
        });
    }

    private static MusterException failed(SQLException e) {
        return new MusterException("the runs could not be started in this transaction: " + e.getMessage(), e);
    }

    @Override
    public RunStarter in(Connection connection) {
        return requests -> {
            Started started = start(connection, requests);
            try {
                node.coordinator().notifyNewWork(connection, started.lanes());
                return started.ids();
            } catch (SQLException e) {
                throw failed(e);
            }
        };
    }

    private List<NewRun> checked(Collection<RunRequest> requests) {
        Map<String, Definition> definitions = new HashMap<>();
        return requests.stream()
                .map(request -> checked(
                        request,
                        definitions.computeIfAbsent(
                                request.workflow() + " " + request.version(), key -> definition(request))))
                .toList();
    }

    private Definition definition(RunRequest request) {
        Definition found = store.resolve(request.workflow(), request.version())
                .or(() -> among(definitions(own), store.definitions(), request.workflow(), request.version()))
                .orElseThrow(() -> new MusterException(unknown(request)));
        if (found.lifecycle() == Lifecycle.DEPRECATED) {
            throw new MusterException("workflow " + found.name() + " " + found.version()
                    + " is deprecated and takes no new runs; start a newer version");
        }
        if (found.lifecycle() == Lifecycle.UNKNOWN) {
            throw new MusterException("workflow " + found.name() + " " + found.version()
                    + " has a life cycle that this version of Muster does not know; start the run with a newer one");
        }
        return found;
    }

    private static List<Definition> definitions(List<WorkflowHandler> handlers) {
        return handlers.stream().map(WorkflowHandler::definition).toList();
    }

    /** A process that has the code may start its workflows before a node is up, unless newer code has deprecated them. */
    static Optional<Definition> among(
            List<Definition> own, List<DefinitionInfo> published, String workflow, @Nullable String version) {
        return own.stream()
                .filter(definition -> definition.name().equals(workflow))
                .filter(definition -> published.stream()
                        .noneMatch(other -> other.lifecycle() == Lifecycle.DEPRECATED
                                && other.name().equals(definition.name())
                                && other.version().equals(definition.version())))
                .filter(definition -> version == null
                        ? definition.lifecycle() == Lifecycle.ACTIVE
                        : definition.version().equals(version))
                .max(VersionOrder.OF_DEFINITIONS);
    }

    private String unknown(RunRequest request) {
        List<String> known = store.definitions().stream()
                .filter(DefinitionInfo::live)
                .map(definition -> definition.name() + " " + definition.version() + " ("
                        + definition.lifecycle().name().toLowerCase(Locale.ROOT) + ")")
                .sorted()
                .toList();
        String wanted = request.version() == null
                ? "an active version of workflow '" + request.workflow() + "'"
                : "workflow '" + request.workflow() + "' " + request.version();
        return "no live node serves " + wanted + "; live nodes serve " + (known.isEmpty() ? "no workflows" : known);
    }

    private NewRun checked(RunRequest request, Definition definition) {
        JobId id = request.id() != null ? request.id() : JobId.next();
        StorableJson input = json("the input of workflow '" + request.workflow() + "'", request.input());
        checkFits(request, definition, input.text());
        JobOptions options = request.priority() == null
                ? definition.options()
                : definition.options().priority(request.priority());
        return new NewRun(
                        id,
                        request.id() != null,
                        definition,
                        options,
                        node.payloads().seal(id, Kind.ARGS, input),
                        request.key(),
                        request.delay(),
                        null,
                        null,
                        null)
                .withFingerprint(
                        request.key() == null
                                ? null
                                : node.payloads().contentFingerprint(request.workflow(), request.key(), input.text()));
    }

    /** A process that has the code tells who starts a run that its input is wrong; otherwise the run fails. */
    private void checkFits(RunRequest request, Definition definition, String input) {
        Object given = request.input();
        Optional<Type> type = own.stream()
                .filter(handler -> handler.definition().name().equals(definition.name())
                        && handler.definition().version().equals(definition.version())
                        && handler.definition().signature().equals(definition.signature()))
                .findFirst()
                .map(WorkflowHandler::input);
        if (given == null || type.isEmpty() || type.get() == Void.class || type.get() == given.getClass()) {
            return;
        }
        try {
            node.json().check(input, type.get());
        } catch (JsonException e) {
            throw new InvalidJob(
                    "the input of workflow '" + definition.name() + "' does not fit "
                            + type.get().getTypeName() + ": " + e.getMessage(),
                    e);
        }
    }

    private StorableJson json(String what, @Nullable Object value) {
        StorableJson storable;
        try {
            String text =
                    value instanceof RawJson raw ? raw.text() : node.json().write(value);
            if (value instanceof RawJson) {
                node.json().check(text, Object.class);
            }
            storable = StorableJson.of(text);
        } catch (JsonException e) {
            throw new JsonException(what + ": " + e.getMessage(), e);
        }
        if (storable.isTooLarge()) {
            throw new JsonException(
                    what + " has " + storable.bytes() + " bytes of JSON, and may have " + StorableJson.MAX_BYTES, null);
        }
        return storable;
    }

    private void wake(Set<Lane> lanes) {
        if (!lanes.isEmpty()) {
            node.coordinator().notifyNewWork(lanes);
        }
    }

    @Override
    public Optional<RunInfo> find(JobId run) {
        return store.find(run).map(this::reveal);
    }

    private RunInfo reveal(RunInfo run) {
        return run.withPayloads(
                shown(run.id(), Kind.ARGS, run.input()), run.result().map(text -> shown(run.id(), Kind.RESULT, text)));
    }

    private String shown(JobId run, Kind kind, String stored) {
        try {
            return node.payloads().open(run, kind, stored);
        } catch (UnreadablePayload e) {
            return stored;
        }
    }

    @Override
    public List<StepInfo> steps(JobId run) {
        return revealed(run, store.steps(run));
    }

    @Override
    public Optional<StepInfo> step(JobId run, String path) {
        return revealed(run, store.step(run, path).stream().toList()).stream().findFirst();
    }

    private List<StepInfo> revealed(JobId run, List<StepInfo> steps) {
        JobId first = steps.isEmpty() ? run : store.chain(run).map(Chain::first).orElse(run);
        return steps.stream()
                .map(step -> step.withResult(step.result().map(text -> shownStep(run, first, step, text))))
                .toList();
    }

    private String shownStep(JobId run, JobId first, StepInfo step, String stored) {
        try {
            return StepKind.EVENT.name().equalsIgnoreCase(step.kind())
                    ? node.payloads().open(first, Kind.EVENT, step.name(), stored)
                    : node.payloads().open(run, Kind.STEP, step.path(), stored);
        } catch (UnreadablePayload e) {
            return stored;
        }
    }

    @Override
    public List<RunInfo> list(RunQuery query) {
        return store.list(query).stream().map(this::reveal).toList();
    }

    @Override
    public RunInfo await(JobId run, Duration timeout) {
        return new PollingWait("run " + run + " to end", timeout, node.clock())
                .until(found -> found.status().isTerminal(), () -> lastOfChain(run));
    }

    private RunInfo lastOfChain(JobId run) {
        return store.currentOfChain(run).map(this::reveal).orElseThrow(() -> noSuchRun(run));
    }

    private RunInfo require(JobId run) {
        return store.current(run).map(this::reveal).orElseThrow(() -> noSuchRun(run));
    }

    private static MusterException noSuchRun(JobId run) {
        return new MusterException("there is no run " + run);
    }

    /** The cast is safe because the codec reads the declared type. */
    @Override
    @SuppressWarnings("unchecked")
    public <R> @Nullable R result(WorkflowType<?, R> type, RunInfo run) {
        // A list may have left it out.
        Optional<String> result =
                run.result().filter(LeftOut::is).isPresent() ? require(run.id()).result() : run.result();
        return type.result() == Void.class || result.isEmpty()
                ? null
                : (R) ResultJson.read(
                        node.json(),
                        result.get(),
                        type.result(),
                        "run " + run.id() + " of workflow '" + run.workflow() + "'");
    }

    @Override
    public boolean signal(JobId run, String event, @Nullable Object payload, String eventId) {
        WorkflowEngine.requireEventName(event);
        if (eventId.isEmpty() || eventId.length() > MAX_EVENT_ID || !StorableText.isStorable(eventId)) {
            throw new MusterException("an event's id must have 1 to " + MAX_EVENT_ID
                    + " characters, none of them NUL or half a surrogate pair");
        }
        if (eventId.startsWith(WorkflowEngine.OWN_EVENTS)) {
            throw new MusterException(
                    "an event's id must not begin with '" + WorkflowEngine.OWN_EVENTS + "', as '" + eventId + "' does");
        }
        JobId sealedFor = store.chain(run).orElseThrow(() -> noSuchRun(run)).first();
        String sealed = payload == null
                ? null
                : node.payloads()
                        .seal(sealedFor, Kind.EVENT, event, json("the payload of event '" + event + "'", payload));
        Signalled signalled = store.signal(run, eventId, event, sealed);
        signalled.lane().ifPresent(lane -> wake(Set.of(lane)));
        return !signalled.known();
    }

    @Override
    public void signal(JobId run, String event, @Nullable Object payload) {
        signal(run, event, payload, UUID.randomUUID().toString());
    }

    @Override
    public boolean cancel(JobId run, String reason) {
        requireReason(reason);
        JobId last = last(run);
        while (true) {
            Optional<Lane> lane = store.cancel(last, reason);
            if (lane.isPresent()) {
                wake(Set.of(lane.get()));
                return true;
            }
            JobId next = last(run);
            if (next.equals(last)) {
                return false;
            }
            last = next;
        }
    }

    private static void requireReason(String reason) {
        if (reason.length() > MAX_REASON || reason.indexOf('\0') >= 0) {
            throw new MusterException("a reason may have " + MAX_REASON + " characters and no NUL");
        }
    }

    private JobId last(JobId run) {
        return store.chain(run).orElseThrow(() -> noSuchRun(run)).last();
    }

    @Override
    public boolean retry(JobId run) {
        require(run);
        Set<Lane> lanes = failedRuns.retry(run);
        wake(lanes);
        return !lanes.isEmpty();
    }

    @Override
    public int retire(String workflow, String version, String reason) {
        DriverName.check(workflow, version);
        requireReason(reason);
        return store.retire(workflow, version, reason);
    }

    @Override
    public int countLive(String workflow, String version) {
        return store.countLive(workflow, version, null);
    }

    @Override
    public void pause(String workflow) {
        store.pause(Names.require("workflow name", workflow), true);
    }

    @Override
    public void resume(String workflow) {
        wake(store.pause(Names.require("workflow name", workflow), false));
    }

    @Override
    public List<DefinitionInfo> definitions() {
        return store.definitions();
    }
}
