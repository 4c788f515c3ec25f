package dev.muster.postgres.internal.workflows;

import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.PageText;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.internal.workflow.WorkflowStore.Window;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors.TookTooLong;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads runs and steps. */
final class RunReader {
    /** How long a question of people may take. */
    private static final UUID FIRST = new UUID(0, 0);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final int PORTION = 10;

    /** From how many characters on a run is a large one, of which the driver holds one at a time. */
    private static final int LARGE = 100_000;

    private final Database database;
    private final Readers readers;

    RunReader(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    static StepRow step(ResultSet row) throws SQLException {
        return new StepRow(
                row.getString("path"),
                row.getString("name"),
                StepKind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                StepState.valueOf(row.getString("status").toUpperCase(Locale.ROOT)),
                row.getInt("attempt"),
                row.getString("result"),
                row.getString("error"),
                Rows.optionalInstant(row, "due_at").orElse(null),
                null,
                row.getString("compensation"),
                row.getString("compensation_args"));
    }

    /** What of a step this version of Muster does not know: a newer one has stored it. */
    static Optional<String> unknown(ResultSet row) throws SQLException {
        String kind = row.getString("kind");
        String status = row.getString("status");
        String step = "step " + row.getString("path") + " '" + row.getString("name") + "' has the ";
        if (!isAmong(StepKind.values(), kind)) {
            return Optional.of(step + "kind '" + kind + "'");
        }
        return isAmong(StepState.values(), status) ? Optional.empty() : Optional.of(step + "status '" + status + "'");
    }

    private static boolean isAmong(Enum<?>[] values, String text) {
        return Arrays.stream(values).anyMatch(value -> text(value).equals(text));
    }

    static StepRow withDue(StepRow row, ResultSet found, String column) throws SQLException {
        OffsetDateTime due = found.getObject(column, OffsetDateTime.class);
        return new StepRow(
                row.path(),
                row.name(),
                row.kind(),
                row.state(),
                row.attempt(),
                row.result(),
                row.error(),
                due == null ? null : due.toInstant(),
                null,
                row.compensation(),
                row.compensationArgs());
    }

    static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /**
     * What is stored under a path; empty if nothing is.
     *
     * @throws ClaimLost if this claim of the driver is not the current one, or the run has ended
     */
    Optional<SavedStep> storedStep(ClaimRef claim, String path) {
        return database.inTransaction(connection -> storedStep(connection, claim, path));
    }

    private Optional<SavedStep> storedStep(Connection connection, ClaimRef claim, String path) throws SQLException {
        return database.preparedQuery("workflows/stored_step")
                .with(p -> p.number(claim.token()).uuid(claim.id().value()).text(path))
                .all(connection, row -> {
                    if (!row.next() || !row.getBoolean("held") || row.getBoolean("ended")) {
                        throw new ClaimLost(claim.id());
                    }
                    return row.getString("path") == null
                            ? Optional.empty()
                            : Optional.of(new SavedStep(
                                    step(row), row.getBoolean("cancel_requested"), row.getBoolean("paused")));
                });
    }

    /** Where a walk over live runs begins. */
    static UUID orFirst(@Nullable JobId after) {
        return after == null ? FIRST : after.value();
    }

    static Window window(ResultSet row) throws SQLException {
        UUID last = row.getObject("last", UUID.class);
        return new Window(row.getInt("changed"), last == null ? null : new JobId(last));
    }

    Optional<RunInfo> find(JobId run) {
        return readers.alongIndexes(LIMIT, connection -> {
            Optional<RunInfo> found = find(connection, run);
            found.ifPresent(one -> LargeReads.count(length(one)));
            return found;
        });
    }

    Optional<RunInfo> current(JobId run) {
        return database.reading(connection -> find(connection, run));
    }

    Optional<RunInfo> currentOfChain(JobId run) {
        return database.reading(connection -> database.query("workflows/find_last")
                .with(p -> p.uuid(run.value()))
                .first(connection, RunReader::run));
    }

    private Optional<RunInfo> find(Connection connection, JobId run) throws SQLException {
        return database.query("workflows/find").with(p -> p.uuid(run.value())).first(connection, RunReader::run);
    }

    List<RunInfo> list(RunQuery query) {
        String name = query.workflow().orElse(null);
        String version = query.version().orElse(null);
        List<String> statuses = query.statuses().isEmpty()
                ? null
                : query.statuses().stream().map(RunStatus::text).toList();
        boolean live = !query.statuses().isEmpty() && query.statuses().stream().noneMatch(RunStatus::isTerminal);
        String file = live ? "workflows/list_live" : "workflows/list";
        String window = live ? "workflows/list_live_window" : "workflows/list_window";
        boolean filtered = name != null || version != null || statuses != null;
        PageText text = PageText.ofSearch();
        return readers.alongIndexes(LIMIT, connection -> {
            long start = System.nanoTime();
            List<RunInfo> found = new ArrayList<>();
            UUID before = query.before().map(JobId::value).orElse(null);
            while (true) {
                UUID end = before;
                // Hardly any of very many runs may fit: so it looks at one window of them after the other.
                UUID from = filtered ? windowBefore(connection, window, end) : null;
                found.addAll(database.query(file)
                        .with(p -> p.text(LeftOut.TEXT)
                                .text(LeftOut.TEXT)
                                .text(name)
                                .text(name)
                                .text(version)
                                .text(version)
                                .texts(statuses)
                                .texts(statuses)
                                .texts(statuses)
                                .uuid(end)
                                .uuid(from)
                                .number(query.limit() - found.size()))
                        .inPortions(connection, 1, rows -> runs(rows, text)));
                if (from == null || found.size() >= query.limit()) {
                    return found;
                }
                if (System.nanoTime() - start > LIMIT.toNanos()) {
                    throw new TookTooLong(LIMIT, null);
                }
                before = from;
            }
        });
    }

    private @Nullable UUID windowBefore(Connection connection, String file, @Nullable UUID before) throws SQLException {
        return database.query(file)
                .with(p -> p.uuid(before))
                .first(connection, row -> row.getObject(1, UUID.class))
                .orElse(null);
    }

    /** The driver holds some rows at a time, and what has no room is not kept. */
    private static List<RunInfo> runs(ResultSet rows, PageText text) throws SQLException {
        List<RunInfo> runs = new ArrayList<>();
        while (rows.next()) {
            RunInfo run = run(rows);
            rows.setFetchSize(length(run) > LARGE ? 1 : PORTION);
            runs.add(run.withPayloads(text.orLeftOut(run.input()), run.result().map(text::orLeftOut)));
        }
        return runs;
    }

    private static int length(RunInfo run) {
        return run.input().length() + run.result().map(String::length).orElse(0);
    }

    private static RunInfo run(ResultSet row) throws SQLException {
        return RunInfo.builder(
                        new JobId(row.getObject("id", UUID.class)),
                        row.getString("workflow_name"),
                        row.getString("workflow_version"),
                        RunStatus.stored(row.getString("status")),
                        row.getString("input"),
                        Rows.instant(row, "created_at"),
                        Rows.instant(row, "changed_at"))
                .reason(Rows.optionalText(row, "resolution_reason"))
                .result(Rows.optionalText(row, "result"))
                .error(Rows.optionalText(row, "error"))
                .key(Rows.optionalText(row, "key"))
                .parent(Optional.ofNullable(row.getObject("parent_run", UUID.class))
                        .map(JobId::new))
                .continuedAs(Optional.ofNullable(row.getObject("continued_as", UUID.class))
                        .map(JobId::new))
                .awaiting(texts(row.getArray("awaiting")))
                .wakeAt(Rows.optionalInstant(row, "wake_at"))
                .cancelRequested(row.getBoolean("cancel_requested"))
                .node(Rows.optionalText(row, "node_id"))
                .finishedAt(Rows.optionalInstant(row, "finished_at"))
                .build();
    }

    static List<String> texts(@Nullable Array array) throws SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    List<StepInfo> steps(JobId run) {
        return readers.alongIndexes(
                LIMIT,
                connection -> database.query("workflows/load_steps")
                        .with(p -> p.uuid(run.value()).uuid(run.value()))
                        .inPortions(connection, PORTION, RunReader::allSteps));
    }

    /** The driver holds some rows at a time, and what has no room is not kept. */
    private static List<StepInfo> allSteps(ResultSet rows) throws SQLException {
        PageText text = PageText.ofSearch();
        List<StepInfo> steps = new ArrayList<>();
        while (rows.next()) {
            steps.add(stepInfo(rows, text));
        }
        return steps;
    }

    Optional<StepInfo> step(JobId run, String path) {
        return readers.alongIndexes(
                LIMIT,
                connection -> database.query("workflows/load_step")
                        .with(p -> p.uuid(run.value()).text(path).uuid(run.value()))
                        .first(connection, row -> stepInfo(row, PageText.unlimited())));
    }

    private static StepInfo stepInfo(ResultSet row, PageText text) throws SQLException {
        Optional<String> result =
                row.getBoolean("left_out") ? Optional.of(LeftOut.TEXT) : Rows.optionalText(row, "result");
        return StepInfo.builder(
                        row.getString("path"),
                        row.getString("name"),
                        row.getString("kind"),
                        row.getString("status"),
                        Rows.instant(row, "stored_at"))
                .attempt(row.getInt("attempt"))
                .node(Rows.optionalText(row, "node_id"))
                .result(result.map(text::orLeftOut))
                .error(Rows.optionalText(row, "error").map(text::orLeftOut))
                .dueAt(Rows.optionalInstant(row, "due_at"))
                .compensation(Rows.optionalText(row, "compensation"))
                .build();
    }
}
