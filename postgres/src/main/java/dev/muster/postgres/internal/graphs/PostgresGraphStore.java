package dev.muster.postgres.internal.graphs;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.internal.graph.GraphStore;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.admission.PostgresAdmissionStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.jobs.EndedJobs;
import dev.muster.postgres.internal.jobs.PlacementLimit;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Adds graphs, and cancels and retries them under the lock of their row; its readers and writers do the rest. */
public final class PostgresGraphStore implements GraphStore, EndedJobs {
    private static final UUID BEGINNING = new UUID(0, 0);
    private static final int SWEEP_WINDOW = 2_000;
    private static final int FORGOTTEN_AT_ONCE = 20;

    /** How often it tries to cancel a job whose row another transaction has locked. */
    private static final int CANCEL_TRIES = 20;

    private final Database database;
    private final PostgresAdmissionStore admission;
    private final GraphReader reader;
    private final GraphWriter writer;

    /**
     * Whether there may be live graphs. The store learns it when a graph is submitted or a task runs here, and otherwise from the question
     * that is asked now and then: so a cluster without graphs pays nothing for them.
     */
    private volatile boolean inUse;

    /** @param admission admits jobs to places that cancelled jobs have left */
    public PostgresGraphStore(Database database, Readers readers, PostgresAdmissionStore admission, Clock clock) {
        this.database = database;
        this.admission = admission;
        this.reader = new GraphReader(database, readers);
        this.writer = new GraphWriter(database, new PlacementLimit(database, clock));
    }

    @Override
    public Submitted submit(NewGraph graph) {
        inUse = true;
        return database.inRawTransaction(connection -> writer.add(connection, graph));
    }

    @Override
    public Submitted submit(Connection connection, NewGraph graph) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new MusterException("in(connection) needs an open transaction: call setAutoCommit(false) first");
        }
        inUse = true;
        database.timeline().requireInside(connection);
        return writer.add(connection, graph);
    }

    @Override
    public Optional<GraphInfo> find(GraphId graph) {
        return reader.find(graph);
    }

    @Override
    public Optional<GraphTree> tree(GraphId graph) {
        return reader.tree(graph);
    }

    @Override
    public Map<TaskStatus, Long> counts(GraphId graph) {
        return reader.counts(graph);
    }

    @Override
    public Optional<TaskInfo> task(GraphId graph, String task) {
        return reader.task(graph, task);
    }

    @Override
    public List<GraphInfo> list(GraphQuery query) {
        return reader.list(query);
    }

    @Override
    public Optional<TaskSource> source(JobId job) {
        inUse = true;
        return database.inTransaction(connection -> database.preparedQuery("graphs/source")
                .with(p ->
                        p.uuid(job.value()).number(TaskSource.MAX_RESULT_BYTES).number(TaskSource.MAX_RESULT_BYTES))
                .all(connection, PostgresGraphStore::source));
    }

    private static Optional<TaskSource> source(ResultSet rows) throws SQLException {
        TaskSource source = null;
        Map<String, ParentResult> parents = new HashMap<>();
        while (rows.next()) {
            if (rows.getString("parent") == null) {
                source = new TaskSource(
                        new GraphId(Rows.id(rows)),
                        rows.getString("task_id"),
                        rows.getString("inputs"),
                        rows.getLong("bytes"),
                        parents);
            } else {
                parents.put(
                        rows.getString("parent"),
                        new ParentResult(
                                parentStatus(rows.getString("status")),
                                new JobId(rows.getObject("job_id", UUID.class)),
                                rows.getString("result")));
            }
        }
        return Optional.ofNullable(source);
    }

    /** A task whose job lives is stored as enqueued, because its job's row says the rest. */
    private static TaskStatus parentStatus(String stored) {
        return stored.equals("enqueued") ? TaskStatus.PENDING : TaskStatus.stored(stored);
    }

    @Override
    public void found(boolean graphs) {
        inUse = graphs;
    }

    @Override
    public Set<Lane> ended(Collection<JobId> jobs, Collection<JobId> rest) {
        if (!inUse) {
            return Set.of();
        }
        List<UUID> ids = jobs.stream().map(JobId::value).toList();
        Resolved resolved = database.inTransaction(connection -> resolve(connection, ids));
        if (resolved.undecided()) {
            rest.addAll(jobs);
        }
        return resolved.lanes();
    }

    /**
     * What followed from the end of jobs.
     *
     * @param undecided whether more follows, which has to be decided in another transaction
     */
    private record Resolved(int tasks, boolean undecided, Set<Lane> lanes) {}

    private Resolved resolve(Connection connection, Collection<UUID> jobs) throws SQLException {
        Set<Lane> lanes = new HashSet<>();
        int[] tasks = {0};
        boolean[] undecided = {false};
        database.preparedQuery("graphs/call_tasks_ended")
                .with(p -> p.uuids(jobs))
                .each(connection, row -> {
                    if (row.getString("lane_queue") == null) {
                        tasks[0] = row.getInt("resolved");
                        undecided[0] = row.getBoolean("undecided");
                    } else {
                        lanes.add(lane(row));
                    }
                });
        return new Resolved(tasks[0], undecided[0], lanes);
    }

    private static Lane lane(ResultSet row) throws SQLException {
        return new Lane(row.getString("lane_queue"), row.getString("lane_capability"));
    }

    @Override
    public Changed cancel(GraphId graph, @Nullable String task, String reason) {
        Set<Lane> lanes = new HashSet<>();
        Set<UUID> jobs = new HashSet<>();
        int changed = database.inRawTransaction(connection -> {
            jobs.clear();
            lock(connection, graph);
            List<Integer> numbers = toCancel(connection, graph, task);
            if (numbers.isEmpty()) {
                return 0;
            }
            if (task == null) {
                database.query("graphs/request_cancel")
                        .with(p -> p.text(reason).uuid(graph.value()))
                        .update(connection);
            }
            List<Integer> waiting = database.query("graphs/cancel_waiting")
                    .with(p -> p.text(reason)
                            .column("int4", numbers, number -> number)
                            .uuid(graph.value()))
                    .list(connection, row -> row.getInt(1));
            lanes.addAll(decide(connection, "graphs/call_decide_after", graph, waiting));
            jobs.addAll(database.query("graphs/cancel_enqueued")
                    .with(p -> p.text(reason)
                            .column("int4", numbers, number -> number)
                            .uuid(graph.value()))
                    .list(connection, Rows::id));
            return waiting.size() + jobs.size();
        });
        List<JobId> cancelled = jobs.stream().map(JobId::new).toList();
        cancelJobs(graph, jobs, lanes);
        lanes.addAll(admission.ended(cancelled));
        return new Changed(changed, lanes);
    }

    /**
     * Cancels jobs of tasks. A job that another transaction has locked is tried again for a moment; after that it either ends, or the
     * sweep finds it.
     */
    private void cancelJobs(GraphId graph, Set<UUID> jobs, Set<Lane> lanes) {
        for (int attempt = 1; attempt <= CANCEL_TRIES && !jobs.isEmpty(); attempt++) {
            if (attempt > 1) {
                Database.pause(2);
            }
            List<UUID> left = database.inRawTransaction(connection -> {
                lock(connection, graph);
                List<UUID> told = cancelJobs(connection, jobs);
                // Also takes over the jobs that had ended before, and that nobody has told the graph of.
                lanes.addAll(resolve(connection, jobs).lanes());
                List<UUID> live = ids("graphs/live_jobs", jobs).list(connection, Rows::id);
                live.removeAll(told);
                return live;
            });
            jobs.retainAll(left);
        }
    }

    /** Ends the unclaimed ones of these jobs and asks the others to stop, but for those that another transaction has locked. */
    private List<UUID> cancelJobs(Connection connection, Set<UUID> jobs) throws SQLException {
        List<UUID> locked = ids("graphs/lock_jobs", jobs).list(connection, Rows::id);
        ids("graphs/cancel_jobs", locked).run(connection);
        ids("graphs/request_cancel_jobs", locked).run(connection);
        return locked;
    }

    private Query ids(String statement, Collection<UUID> jobs) {
        return database.query(statement).with(p -> p.uuids(jobs));
    }

    private List<Integer> toCancel(Connection connection, GraphId graph, @Nullable String task) throws SQLException {
        if (task == null) {
            return database.query("graphs/all_numbers")
                    .with(p -> p.uuid(graph.value()))
                    .list(connection, row -> row.getInt(1));
        }
        int root = number(connection, graph, task);
        return database.query("graphs/subtree")
                .with(p -> p.number(root).uuid(graph.value()))
                .list(connection, row -> row.getInt(1));
    }

    @Override
    public Changed retry(GraphId graph, @Nullable String task) {
        inUse = true;
        return database.inRawTransaction(connection -> {
            lock(connection, graph);
            Integer only = task == null ? null : number(connection, graph, task);
            refuseWhileStopping(connection, graph);
            List<Integer> again = database.query("graphs/to_retry")
                    .with(p ->
                            p.uuid(graph.value()).optional(only).optional(only).uuid(graph.value()))
                    .list(connection, row -> row.getInt(1));
            if (again.isEmpty()) {
                return new Changed(0, Set.of());
            }
            List<UUID> jobs = new ArrayList<>();
            again.forEach(number -> jobs.add(JobId.next().value()));
            database.query("graphs/wait_again")
                    .with(p -> p.column("int4", again, number -> number)
                            .uuids(jobs)
                            .uuid(graph.value()))
                    .update(connection);
            database.query("graphs/count_parents")
                    .with(p -> p.uuid(graph.value()).uuid(graph.value()))
                    .update(connection);
            database.query("graphs/reopen").with(p -> p.uuid(graph.value())).update(connection);
            return new Changed(again.size(), decide(connection, "graphs/call_decide", graph, again));
        });
    }

    /** A task that is about to stop would be cancelled after the retry, and the tasks below it skipped again. */
    private void refuseWhileStopping(Connection connection, GraphId graph) throws SQLException {
        Optional<String> stopping = database.query("graphs/stopping")
                .with(p -> p.uuid(graph.value()))
                .first(connection, row -> row.getString(1));
        if (stopping.isPresent()) {
            throw new MusterException("graph " + graph + " is still stopping: task " + stopping.get()
                    + " was cancelled and has not ended; retry when it has");
        }
    }

    private Set<Lane> decide(Connection connection, String statement, GraphId graph, List<Integer> numbers)
            throws SQLException {
        return numbers.isEmpty() ? Set.of() : writer.decide(connection, statement, graph, numbers);
    }

    private void lock(Connection connection, GraphId graph) throws SQLException {
        boolean found =
                database.query("graphs/lock").with(p -> p.uuid(graph.value())).exists(connection);
        if (!found) {
            throw new MusterException("there is no graph " + graph);
        }
    }

    private int number(Connection connection, GraphId graph, String task) throws SQLException {
        return database.query("graphs/task_number")
                .with(p -> p.uuid(graph.value()).text(task))
                .first(connection, row -> row.getInt(1))
                .orElseThrow(() -> new MusterException("graph " + graph + " has no task '" + task + "'"));
    }

    @Override
    public Swept sweep(Connection tx, @Nullable Position from) throws SQLException {
        Map<UUID, UUID> missed = new LinkedHashMap<>();
        Set<UUID> toCancel = new HashSet<>();
        List<Position> seen = database.preparedQuery("graphs/missed")
                .with(p -> p.uuid(from == null ? BEGINNING : from.graph().value())
                        .number(from == null ? -1 : from.number())
                        .number(SWEEP_WINDOW))
                .list(tx, row -> {
                    if (!row.getBoolean("live")) {
                        missed.put(row.getObject("job_id", UUID.class), Rows.id(row));
                    } else if (row.getBoolean("to_cancel")) {
                        toCancel.add(row.getObject("job_id", UUID.class));
                    }
                    return new Position(new GraphId(Rows.id(row)), row.getInt("number"));
                });
        // All of this waits for no lock: whoever has a graph locked is about to decide about it.
        Set<Lane> lanes = new HashSet<>();
        int resolved = 0;
        if (!missed.isEmpty()) {
            Set<UUID> free = new HashSet<>(database.query("graphs/lock_free")
                    .with(p -> p.uuids(new HashSet<>(missed.values())))
                    .list(tx, Rows::id));
            missed.values().retainAll(free);
            Resolved found = resolve(tx, missed.keySet());
            resolved = found.tasks();
            lanes.addAll(found.lanes());
        }
        lanes.addAll(database.preparedQuery("graphs/decide_rest").list(tx, PostgresGraphStore::lane));
        if (!toCancel.isEmpty()) {
            cancelJobs(tx, toCancel);
        }
        return new Swept(seen.size() < SWEEP_WINDOW ? null : seen.get(seen.size() - 1), resolved, lanes);
    }

    @Override
    public boolean forget(Connection tx, Duration retain) throws SQLException {
        return database.query("graphs/forget")
                        .with(p -> p.number(retain.toMillis()))
                        .update(tx)
                == FORGOTTEN_AT_ONCE;
    }
}
