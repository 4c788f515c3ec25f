package dev.muster.internal.graph;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphSubmitter;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.graph.InvalidGraph;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest;
import dev.muster.internal.graph.GraphChecker.CheckedTask;
import dev.muster.internal.graph.GraphStore.Changed;
import dev.muster.internal.graph.GraphStore.NewGraph;
import dev.muster.internal.graph.GraphStore.NewTask;
import dev.muster.internal.graph.GraphStore.Submitted;
import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.job.payload.Payloads.Kind;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.PollingWait;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.Lane;
import dev.muster.job.Placement;
import dev.muster.job.RawJson;
import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.telemetry.Tracing.Publication;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@link Graphs} over a {@link GraphStore}. */
final class DatabaseGraphs implements Graphs {
    private static final int MAX_REASON = 10_000;

    /** Whose keys those of graphs are, in their hashes. */
    private static final String KEYS = "muster:graphs";

    private final NodeContext node;
    private final GraphStore store;

    DatabaseGraphs(NodeContext node) {
        this.node = node;
        this.store = node.port(GraphStore.class);
    }

    @Override
    public GraphId submit(GraphRequest request) {
        Optional<Connection> joined = node.currentTransaction().current();
        if (joined.isPresent()) {
            Submitted submitted = submit(joined.get(), request);
            node.currentTransaction().afterCommit(() -> wake(submitted.lanes()));
            return submitted.id();
        }
        NewGraph graph = checked(request, null);
        Submitted submitted;
        try {
            submitted = traced(graph, store::submit);
        } catch (OutcomeUnknown e) {
            throw e.creating(graph.id());
        }
        wake(submitted.lanes());
        return submitted.id();
    }

    private Submitted submit(Connection connection, GraphRequest request) {
        return traced(checked(request, connection), graph -> {
            try {
                return store.submit(connection, graph);
            } catch (SQLException e) {
                throw failed(e);
            }
        });
    }

    /** Submits a graph within the span that a tracer makes of it, if there is one. */
    private Submitted traced(NewGraph graph, Function<NewGraph, Submitted> submit) {
        return node.telemetry()
                .traces()
                .published(() -> publication(graph.tasks()), trace -> submit.apply(graph.withTrace(trace)));
    }

    private static Publication publication(List<NewTask> tasks) {
        return new Publication(
                same(tasks, NewTask::name),
                false,
                same(tasks, task -> task.options().lane().queue()),
                tasks.size() == 1 ? Optional.of(tasks.get(0).job()) : Optional.empty(),
                tasks.size(),
                null);
    }

    /** What a property is for all tasks; empty if it is not the same. */
    private static Optional<String> same(List<NewTask> tasks, Function<NewTask, String> property) {
        List<String> values = tasks.stream().map(property).distinct().limit(2).toList();
        return values.size() == 1 ? Optional.of(values.get(0)) : Optional.empty();
    }

    private static MusterException failed(SQLException e) {
        return new MusterException("the graph could not be submitted in this transaction: " + e.getMessage(), e);
    }

    @Override
    public GraphSubmitter in(Connection connection) {
        return request -> {
            Submitted submitted = submit(connection, request);
            try {
                if (!submitted.lanes().isEmpty()) {
                    node.coordinator().notifyNewWork(connection, submitted.lanes());
                }
                return submitted.id();
            } catch (SQLException e) {
                throw failed(e);
            }
        };
    }

    private NewGraph checked(GraphRequest request, @Nullable Connection connection) {
        GraphId id = request.id() != null ? request.id() : GraphId.next();
        List<CheckedTask> checked = GraphChecker.check(node.json(), request);
        List<NewTask> tasks =
                checked.stream().map(task -> task(id, task, connection)).toList();
        ArgsFingerprint fingerprint = request.key() == null
                ? null
                : node.payloads().contentFingerprint(KEYS, request.key(), GraphContent.of(request, checked));
        return new NewGraph(id, request.name(), request.key(), tasks, null, fingerprint);
    }

    private NewTask task(GraphId graph, CheckedTask task, @Nullable Connection connection) {
        NewJob job;
        try {
            job = node.check(
                    request(task.request(), task.inputs().text()),
                    task.takesFrom().isEmpty(),
                    connection);
        } catch (DatabaseUnavailable e) {
            throw e;
        } catch (MusterException e) {
            throw new InvalidGraph("tasks[" + task.number() + "]: " + e.getMessage(), e);
        }
        String id = task.request().id();
        return new NewTask(
                task.number(),
                id,
                job.id(),
                job.name(),
                job.options(),
                task.request().trigger(),
                node.payloads().seal(new JobId(graph.value()), Kind.INPUTS, id, task.inputs()),
                job.metadata(),
                job.tags(),
                task.parents(),
                task.takesFrom());
    }

    /** The job that the task runs as, with its inputs in place of the args. */
    private static JobRequest request(TaskRequest task, String inputs) {
        JobRequest job =
                inputs.equals("null") ? JobRequest.of(task.name()) : JobRequest.of(task.name(), new RawJson(inputs));
        job = task.queue() == null ? job : job.queue(task.queue());
        job = task.capability() == null ? job : job.capability(task.capability());
        job = task.placement().equals(Placement.ANYWHERE) ? job : placed(job, task.placement());
        job = task.priority() == null ? job : job.priority(task.priority());
        job = task.maxAttempts() == null ? job : job.maxAttempts(task.maxAttempts());
        return task.timeout() == null ? job : job.timeout(task.timeout());
    }

    /** Adds to the capability of the task what its placement says. */
    private static JobRequest placed(JobRequest job, Placement placement) {
        return job.require(placement.required().toArray(String[]::new))
                .forbid(placement.forbidden().toArray(String[]::new))
                .onNodes(placement.nodes().toArray(String[]::new))
                .notOnNodes(placement.notNodes().toArray(String[]::new));
    }

    private void wake(Set<Lane> lanes) {
        if (!lanes.isEmpty()) {
            node.coordinator().notifyNewWork(lanes);
        }
    }

    @Override
    public Optional<GraphInfo> find(GraphId graph) {
        return store.find(graph);
    }

    @Override
    public Optional<GraphTree> tree(GraphId graph) {
        return store.tree(graph)
                .map(tree -> new GraphTree(
                        tree.graph(),
                        tree.tasks().stream().map(task -> reveal(graph, task)).toList()));
    }

    @Override
    public Optional<TaskInfo> task(GraphId graph, String task) {
        return store.task(graph, task).map(found -> reveal(graph, found));
    }

    private TaskInfo reveal(GraphId graph, TaskInfo task) {
        return task.withPayloads(
                opened(
                        task.inputs(),
                        () -> node.payloads().open(new JobId(graph.value()), Kind.INPUTS, task.id(), task.inputs())),
                task.result().map(text -> opened(text, () -> node.payloads().open(task.job(), Kind.RESULT, text))));
    }

    private static String opened(String stored, Supplier<String> open) {
        try {
            return open.get();
        } catch (UnreadablePayload e) {
            return stored;
        }
    }

    @Override
    public List<GraphInfo> list(GraphQuery query) {
        return store.list(query);
    }

    @Override
    public GraphInfo await(GraphId graph, Duration timeout) {
        return new PollingWait("graph " + graph + " to end", timeout, node.clock())
                .until(
                        found -> found.status().isTerminal(),
                        () -> store.find(graph).orElseThrow(() -> new MusterException("there is no graph " + graph)));
    }

    /** The cast is safe because the codec reads the declared type. */
    @Override
    @SuppressWarnings("unchecked")
    public <R> @Nullable R result(JobType<?, R> type, TaskInfo task) {
        return type.result() == Void.class || task.result().isEmpty()
                ? null
                : (R) node.json()
                        .read(LeftOut.requireResult(task.id(), task.result().get()), type.result());
    }

    @Override
    public boolean cancel(GraphId graph, String reason) {
        return cancelled(graph, null, reason);
    }

    @Override
    public boolean cancel(GraphId graph, String task, String reason) {
        return cancelled(graph, task, reason);
    }

    private boolean cancelled(GraphId graph, @Nullable String task, String reason) {
        if (reason.length() > MAX_REASON || reason.indexOf('\0') >= 0) {
            throw new MusterException("a reason may have " + MAX_REASON + " characters and no NUL");
        }
        Changed changed = store.cancel(graph, task, reason);
        wake(changed.lanes());
        return changed.tasks() > 0;
    }

    @Override
    public int retry(GraphId graph) {
        return retried(graph, null);
    }

    @Override
    public int retry(GraphId graph, String task) {
        return retried(graph, task);
    }

    private int retried(GraphId graph, @Nullable String task) {
        Changed changed = store.retry(graph, task);
        wake(changed.lanes());
        return changed.tasks();
    }
}
