package dev.muster.postgres.internal.workflows;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.EnginePhrase;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Starts runs, sends them events, and cancels and retries them; what a driver writes goes through its steps and outcomes. */
public final class PostgresWorkflowStore implements WorkflowStore {
    private static final int CHANGED_AT_ONCE = 500;
    private static final int FORGOTTEN_AT_ONCE = 500;
    private static final int STEPS_FORGOTTEN_AT_ONCE = 250;

    private final Database database;
    private final ControlConnection control;
    private final NewRuns newRuns;
    private final PublishedDefinitions definitions;
    private final RunReader reader;
    private final RunLoader loader;
    private final StepWriter steps;

    public PostgresWorkflowStore(Database database, Readers readers, ControlConnection control, Clock clock) {
        this.database = database;
        this.control = control;
        this.newRuns = new NewRuns(database);
        this.definitions = new PublishedDefinitions(database);
        this.reader = new RunReader(database, readers);
        this.loader = new RunLoader(database, clock);
        this.steps = new StepWriter(database, reader);
    }

    @Override
    public Started start(List<NewRun> runs) {
        return database.inTransaction(connection -> newRuns.start(connection, runs));
    }

    @Override
    public Started start(Connection connection, List<NewRun> runs) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new MusterException("in(connection) needs an open transaction: call setAutoCommit(false) first");
        }
        database.timeline().requireInside(connection);
        if (runs.stream().noneMatch(NewRun::idGiven)) {
            return newRuns.start(connection, runs);
        }
        Savepoint start = connection.setSavepoint();
        try {
            Started started = newRuns.start(connection, runs);
            connection.releaseSavepoint(start);
            return started;
        } catch (MusterException e) {
            // An id is taken: nothing is left of the runs, also if the caller commits.
            connection.rollback(start);
            throw e;
        }
    }

    @Override
    public StartedChild startChild(RunClaim parent, NewRun child) {
        return database.inTransaction(connection -> {
            HeldParent held = hold(connection, parent, child.parentPath());
            if (held.former() != null) {
                return new StartedChild(former(connection, held, child.parentPath()), Set.of());
            }
            return new StartedChild(
                    null,
                    held.told()
                            ? Set.of()
                            : newRuns.start(connection, List.of(child)).lanes());
        });
    }

    /**
     * A parent whose driver no other node can take over until the commit.
     *
     * @param told whether the child at a path has told its end
     * @param former the child that was there and that a retry has forgotten
     * @param again whether it continues together with its parent
     */
    private record HeldParent(boolean told, @Nullable UUID former, boolean again) {}

    private HeldParent hold(Connection connection, RunClaim parent, @Nullable String path) throws SQLException {
        steps.requireSameServer(parent);
        return database.preparedQuery("workflows/hold_parent")
                .with(p -> p.text(path)
                        .uuid(parent.ref().id().value())
                        .number(parent.ref().token()))
                .first(
                        connection,
                        row -> new HeldParent(
                                row.getBoolean("told"), row.getObject("former", UUID.class), row.getBoolean("again")))
                .orElseThrow(() -> new ClaimLost(parent.ref().id()));
    }

    private FormerChild former(Connection connection, HeldParent held, @Nullable String path) throws SQLException {
        UUID id = Objects.requireNonNull(held.former());
        FormerState state = database.query("workflows/former_child")
                .with(p -> p.uuid(id).text(path))
                .first(connection, PostgresWorkflowStore::formerState)
                .orElse(null);
        return new FormerChild(new JobId(id), held.again(), state);
    }

    private static FormerState formerState(ResultSet row) throws SQLException {
        return new FormerState(
                new JobId(row.getObject("first_run", UUID.class)),
                new JobId(row.getObject("last_run", UUID.class)),
                row.getString("workflow_name"),
                row.getString("input"),
                RunStatus.stored(row.getString("status")),
                !row.getBoolean("ended") && !row.getBoolean("cancel_requested"));
    }

    @Override
    public void tellAgain(RunClaim parent, String path) {
        database.inTransaction(connection -> {
            hold(connection, parent, path);
            return database.query("workflows/tell_again")
                    .with(p -> p.uuid(parent.ref().id().value()).text(path))
                    .update(connection);
        });
    }

    @Override
    public StartedChild replaceChild(RunClaim parent, NewRun child) {
        return database.inTransaction(connection -> {
            if (hold(connection, parent, child.parentPath()).told()) {
                return new StartedChild(null, Set.of());
            }
            database.query("workflows/replace_children")
                    .with(p -> p.uuid(parent.ref().id().value())
                            .text(child.parentPath())
                            .uuid(child.id().value()))
                    .update(connection);
            return new StartedChild(
                    null, newRuns.start(connection, List.of(child)).lanes());
        });
    }

    @Override
    public void expect(ClaimRef claim) {
        loader.expect(claim);
    }

    @Override
    public Optional<LoadedRun> load(ClaimRef claim) {
        return loader.load(claim);
    }

    @Override
    public SavedStep save(RunClaim claim, StepRow step, String node) {
        return steps.save(claim, step, node);
    }

    @Override
    public SavedStep saveIn(Connection tx, RunClaim claim, StepRow step, String node) throws SQLException {
        return steps.saveIn(tx, claim, step, node);
    }

    @Override
    public SavedStep awaitEvent(RunClaim claim, StepRow step, String event, @Nullable Duration timeout, String node) {
        ClaimRef ref = claim.ref();
        return database.inTransaction(connection -> {
            steps.requireSameServer(claim);
            return database.preparedQuery("workflows/call_await_event")
                    .with(p -> p.uuid(ref.id().value())
                            .uuid(ref.id().value())
                            .number(ref.token())
                            .text(step.path())
                            .text(step.name())
                            .text(RunReader.text(step.kind()))
                            .text(event)
                            .optional(timeout == null ? null : timeout.toMillis())
                            .text(node))
                    .one(connection, row -> awaited(ref, step, row));
        });
    }

    private static SavedStep awaited(ClaimRef claim, StepRow step, ResultSet row) throws SQLException {
        if (!row.getBoolean("held")) {
            throw new ClaimLost(claim.id());
        }
        StepState state = StepState.valueOf(row.getString("step_status").toUpperCase(Locale.ROOT));
        OffsetDateTime due = row.getObject("step_due", OffsetDateTime.class);
        Instant dueAt = due == null ? null : due.toInstant();
        return new SavedStep(
                new StepRow(
                        step.path(),
                        step.name(),
                        step.kind(),
                        state,
                        1,
                        row.getString("step_result"),
                        null,
                        dueAt,
                        null,
                        null,
                        null),
                row.getBoolean("cancelled"),
                row.getBoolean("paused"));
    }

    @Override
    public void beginCompensating(RunClaim claim, RunStatus endsAs, @Nullable String error) {
        int changed = database.inTransaction(connection -> {
            steps.requireSameServer(claim);
            return database.preparedQuery("workflows/begin_compensating")
                    .with(p -> p.text(endsAs.text())
                            .text(error)
                            .uuid(claim.ref().id().value())
                            .number(claim.ref().token()))
                    .update(connection);
        });
        if (changed == 0) {
            throw new ClaimLost(claim.ref().id());
        }
    }

    @Override
    public boolean serverReplaced(RunClaim claim) {
        return steps.serverReplaced(claim);
    }

    @Override
    public Optional<RunInfo> find(JobId run) {
        return reader.find(run);
    }

    @Override
    public Optional<RunInfo> current(JobId run) {
        return reader.current(run);
    }

    @Override
    public Optional<RunInfo> currentOfChain(JobId run) {
        return reader.currentOfChain(run);
    }

    @Override
    public List<StepInfo> steps(JobId run) {
        return reader.steps(run);
    }

    @Override
    public Optional<StepInfo> step(JobId run, String path) {
        return reader.step(run, path);
    }

    @Override
    public List<RunInfo> list(RunQuery query) {
        return reader.list(query);
    }

    @Override
    public Signalled signal(JobId run, String eventId, String name, @Nullable String payload) {
        return database.inTransaction(connection -> database.preparedQuery("workflows/call_signal")
                .with(p -> p.uuid(run.value()).text(eventId).text(name).text(payload))
                .one(connection, row -> {
                    if (!row.getBoolean("run_found")) {
                        throw new MusterException("there is no run " + run);
                    }
                    if (row.getBoolean("run_ended")) {
                        throw new MusterException("run " + run + " has ended and takes no events");
                    }
                    String queue = row.getString("lane_queue");
                    return new Signalled(
                            row.getBoolean("known"),
                            queue == null
                                    ? Optional.empty()
                                    : Optional.of(new Lane(queue, row.getString("lane_capability"))));
                }));
    }

    @Override
    public Optional<Lane> cancel(JobId run, String reason) {
        return cancel(List.of(run.value()), reason).stream().findFirst();
    }

    private List<Lane> cancel(List<UUID> runs, String reason) {
        return database.inTransaction(connection -> cancel(connection, runs, reason));
    }

    private List<Lane> cancel(Connection connection, List<UUID> runs, String reason) throws SQLException {
        lock(connection, runs);
        return database.query("workflows/cancel")
                .with(p -> p.text(reason).uuids(runs))
                .list(connection, PostgresWorkflowStore::lane);
    }

    /** A child that just continues as a new run is found by the next look: so it looks until there is no child left. */
    @Override
    public Set<Lane> cancelChildren(ClaimRef parent, String reason) {
        Set<Lane> lanes = new HashSet<>();
        while (true) {
            boolean more = database.inTransaction(connection -> {
                requireHeld(connection, parent);
                List<UUID> children = database.query("workflows/live_children")
                        .with(p -> p.uuid(parent.id().value()))
                        .list(connection, row -> row.getObject(1, UUID.class));
                lanes.addAll(cancel(connection, children, reason));
                return !children.isEmpty();
            });
            if (!more) {
                return lanes;
            }
        }
    }

    /** Keeps other nodes from taking over a driver until the commit. */
    private void requireHeld(Connection connection, ClaimRef claim) throws SQLException {
        boolean held = database.preparedQuery("workflows/hold_driver")
                .with(p -> p.uuid(claim.id().value()).number(claim.token()))
                .exists(connection);
        if (!held) {
            throw new ClaimLost(claim.id());
        }
    }

    @Override
    public Optional<FailedRun> failedRun(JobId run) {
        return database.inTransaction(connection -> {
            Map<String, JobId> failed = new HashMap<>();
            List<FutileChild> futile = new ArrayList<>();
            Optional<FailedRun> found = database.query("workflows/failed_steps")
                    .with(p -> p.uuid(run.value()))
                    .first(
                            connection,
                            row -> new FailedRun(
                                    run,
                                    Rows.instant(row, "finished_at"),
                                    RunReader.texts(row.getArray("failed_steps")),
                                    RunReader.texts(row.getArray("paths")),
                                    failed,
                                    futile,
                                    endedParent(row)));
            // Joined here, because the planner takes a run to have few children and would compare each with each.
            Map<String, LastChild> children = new HashMap<>();
            if (found.isPresent()) {
                database.query("workflows/last_children")
                        .with(p -> p.uuid(run.value()))
                        .each(
                                connection,
                                row -> children.put(
                                        row.getString("parent_path"),
                                        new LastChild(
                                                new JobId(row.getObject("id", UUID.class)),
                                                RunStatus.stored(row.getString("status")),
                                                row.getBoolean("ended"))));
                database.query("workflows/failed_children")
                        .with(p -> p.uuid(run.value()).uuid(run.value()).uuid(run.value()))
                        .each(connection, row -> sortOut(row, children.get(row.getString("path")), failed, futile));
            }
            return found;
        });
    }

    private static @Nullable EndedParent endedParent(ResultSet row) throws SQLException {
        UUID parent = row.getObject("parent", UUID.class);
        return parent == null
                ? null
                : new EndedParent(new JobId(parent), RunStatus.stored(row.getString("parent_status")));
    }

    private record LastChild(JobId id, RunStatus status, boolean ended) {}

    /**
     * A child that lives, or has completed since, was retried alone: its parent takes its new end.
     *
     * @param child null if retention has deleted it
     */
    private static void sortOut(
            ResultSet row, @Nullable LastChild child, Map<String, JobId> failed, List<FutileChild> futile)
            throws SQLException {
        String path = row.getString("path");
        if (child == null) {
            JobId gone = new JobId(row.getObject("child", UUID.class));
            futile.add(new FutileChild(path, row.getString("name"), gone, null));
        } else if (child.status() == RunStatus.FAILED) {
            failed.put(path, child.id());
        } else if (child.ended() && child.status() != RunStatus.COMPLETED) {
            futile.add(new FutileChild(path, row.getString("name"), child.id(), child.status()));
        }
    }

    @Override
    public Set<Lane> retry(List<Retry> runs) {
        List<UUID> ids = runs.stream().map(run -> run.seen().id().value()).toList();
        return database.inTransaction(connection -> {
            lock(connection, ids);
            int failed = database.query("workflows/still_failed")
                    .with(p -> p.uuids(ids)
                            .column(
                                    "timestamptz",
                                    runs,
                                    run -> RunOutcomes.time(run.seen().failedAt())))
                    .one(connection, row -> row.getInt(1));
            Set<Lane> lanes = new HashSet<>();
            if (failed == runs.size()) {
                for (Retry run : runs) {
                    retry(connection, run).ifPresent(lanes::add);
                }
            }
            return lanes;
        });
    }

    private Optional<Lane> retry(Connection connection, Retry run) throws SQLException {
        UUID id = run.seen().id().value();
        Set<String> failed = Set.copyOf(run.seen().failedSteps());
        List<String> paths = List.copyOf(run.forget());
        for (int from = 0; from < paths.size(); from += STEPS_FORGOTTEN_AT_ONCE) {
            List<String> some = paths.subList(from, Math.min(paths.size(), from + STEPS_FORGOTTEN_AT_ONCE));
            List<String> ended = some.stream().filter(failed::contains).toList();
            database.query("workflows/forget_steps")
                    .with(p -> p.uuid(id)
                            .uuid(id)
                            .texts(some)
                            .texts(ended)
                            .uuid(id)
                            .texts(some)
                            .texts(ended)
                            .uuid(id)
                            .texts(some))
                    .update(connection);
        }
        return database.query("workflows/retry")
                .with(p -> p.uuid(id).time(run.seen().failedAt().atOffset(ZoneOffset.UTC)))
                .first(connection, PostgresWorkflowStore::lane);
    }

    @Override
    public Optional<Chain> chain(JobId run) {
        return database.reading(connection -> database.query("workflows/call_chain")
                .with(p -> p.uuid(run.value()))
                .first(
                        connection,
                        row -> new Chain(
                                new JobId(row.getObject(1, UUID.class)), new JobId(row.getObject(2, UUID.class)))));
    }

    /** Locks the rows of runs in a statement of its own, so that the next one sees what was committed before. */
    private void lock(Connection connection, List<UUID> runs) throws SQLException {
        database.query("workflows/lock_run").with(p -> p.uuids(runs)).run(connection);
    }

    private static Lane lane(ResultSet row) throws SQLException {
        return new Lane(row.getString(1), row.getString(2));
    }

    @Override
    public int retire(String workflow, String version, String reason) {
        int retired = 0;
        RetiredTo last = new RetiredTo(0, "", RunReader.orFirst(null));
        do {
            RetiredTo after = last;
            last = database.inTransaction(connection -> database.query("workflows/retire")
                    .with(p -> p.text(workflow)
                            .text(version)
                            .text(after.signature())
                            .uuid(after.id())
                            .text(reason))
                    .one(
                            connection,
                            row -> new RetiredTo(
                                    row.getInt("changed"),
                                    row.getString("signature"),
                                    row.getObject("id", UUID.class))));
            retired += last.changed();
        } while (last.id() != null);
        return retired;
    }

    /** The last run that was looked at; without one there are no more. */
    private record RetiredTo(
            int changed,
            @Nullable String signature,
            @Nullable UUID id) {}

    @Override
    public Set<Lane> pause(String workflow, boolean paused) {
        database.inTransaction(connection -> database.query(paused ? "workflows/pause" : "workflows/unpause")
                .with(p -> p.text(workflow))
                .update(connection));
        if (paused) {
            return Set.of();
        }
        // In a transaction of its own: a run that is being parked because of the pause may hold its own row and wait
        // for the pause's. What is left behind if this process dies here, the leader finds.
        Set<Lane> lanes = new HashSet<>();
        JobId after = null;
        do {
            JobId from = after;
            after = database.inTransaction(connection -> walk(
                            connection,
                            database.query("workflows/resume")
                                    .with(p -> p.uuid(RunReader.orFirst(from)).text(workflow)),
                            lanes))
                    .next();
        } while (after != null);
        return lanes;
    }

    /** Sends a statement that changes runs in a window and returns the lanes of their drivers. */
    private static Window walk(Connection connection, Query statement, Set<Lane> lanes) throws SQLException {
        AtomicReference<Window> window = new AtomicReference<>(new Window(0, null));
        statement.each(connection, row -> {
            row.getInt("changed");
            if (row.wasNull()) {
                lanes.add(lane(row));
            } else {
                window.set(RunReader.window(row));
            }
        });
        return window.get();
    }

    @Override
    public void publish(Collection<Definition> published) {
        definitions.publish(published);
    }

    @Override
    public List<DefinitionInfo> definitions() {
        return definitions.all();
    }

    @Override
    public Optional<Definition> resolve(String workflow, @Nullable String version) {
        return definitions.resolve(workflow, version);
    }

    @Override
    public Optional<Definition> resolveInsteadOf(String workflow, String version) {
        return definitions.resolveInsteadOf(workflow, version);
    }

    @Override
    public List<Stranded> stranded(Collection<String> own) {
        return control.call(connection -> database.query("workflows/call_stranded")
                .with(p -> p.texts(own))
                .list(
                        connection,
                        row -> new Stranded(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                RunStatus.find(row.getString(4)).orElse(RunStatus.BLOCKED_MISSING_HANDLER))));
    }

    @Override
    public int countLive(String workflow, String version, @Nullable String signature) {
        return database.reading(connection -> database.query("workflows/count_live")
                .with(p -> p.text(workflow).text(version).text(signature).text(signature))
                .one(connection, row -> row.getInt(1)));
    }

    @Override
    public Window wakeBlocked(Collection<Definition> published, @Nullable JobId after) {
        return definitions.wakeBlocked(published, after);
    }

    @Override
    public Window markBlocked(Connection tx, List<Stranded> stranded, @Nullable JobId after) throws SQLException {
        return database.query("workflows/mark_blocked")
                .with(p -> p.uuid(RunReader.orFirst(after))
                        .column("text", stranded, Stranded::name)
                        .column("text", stranded, Stranded::version)
                        .column("text", stranded, Stranded::signature)
                        .column("text", stranded, version -> version.blocked().text())
                        .column("text", stranded, version -> EnginePhrase.NO_LIVE_NODE.text() + version.what()))
                .one(tx, RunReader::window);
    }

    @Override
    public Revived revive(Connection tx, @Nullable JobId after) throws SQLException {
        Set<Lane> lanes = new HashSet<>();
        List<JobId> failed = new ArrayList<>();
        List<Window> windows = new ArrayList<>();
        UUID from = RunReader.orFirst(after);
        database.query("workflows/revive").with(p -> p.uuid(from)).each(tx, row -> {
            switch (row.getString("what")) {
                case "lane" -> lanes.add(new Lane(row.getString("queue"), row.getString("capability")));
                case "failed" -> failed.add(new JobId(row.getObject("last", UUID.class)));
                default -> windows.add(RunReader.window(row));
            }
        });
        // In a statement of its own, which sees the runs that have just failed.
        windows.add(walk(tx, database.query("workflows/cancel_orphans").with(p -> p.uuid(from)), lanes));
        windows.add(walk(
                tx, database.query("workflows/resume").with(p -> p.uuid(from).text(null)), lanes));
        // The one of the three that has come least far says where to continue.
        JobId next = windows.stream()
                .map(Window::next)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        boolean more = windows.stream().anyMatch(window -> window.changed() >= CHANGED_AT_ONCE);
        return new Revived(lanes, failed, next, more);
    }

    @Override
    public boolean forgetRuns(Connection tx, Duration retain) throws SQLException {
        return database.query("workflows/forget_runs")
                .with(p -> p.number(retain.toMillis()))
                .one(tx, row -> row.getBoolean(1));
    }

    @Override
    public boolean dropStepsDay(Connection tx, Duration retain) throws SQLException {
        String done = database.query("workflows/call_drop_steps_day")
                .with(p -> p.number(retain.toMillis()).number(FORGOTTEN_AT_ONCE))
                .one(tx, row -> row.getString(1));
        return !done.equals("none") && !done.equals("busy");
    }
}
