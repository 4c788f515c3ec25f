package dev.muster.postgres.workflows;

import dev.muster.job.JobId;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.GroupCommit;
import dev.muster.postgres.db.Rows;
import dev.muster.postgres.db.StatementPart;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.WorkflowStore.LoadedRun;
import dev.muster.workflow.WorkflowStore.StepRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Reads runs for their activations; those of several threads in one transaction. */
final class RunLoader {
    private static final int DAYS_AHEAD = 7;

    private final Database database;
    private final GroupCommit<JobId, Optional<LoadedRun>> group = new GroupCommit<>(new SharedLoad());

    /** Days of which this node knows that steps can be stored. */
    private final Set<LocalDate> days = ConcurrentHashMap.newKeySet();

    RunLoader(Database database) {
        this.database = database;
    }

    private final class SharedLoad implements GroupCommit.Work<JobId, Optional<LoadedRun>> {
        @Override
        public List<Optional<LoadedRun>> write(List<JobId> runs, boolean doubt) {
            return read(runs);
        }

        @Override
        public boolean leavesDoubt(RuntimeException e) {
            return false;
        }

        @Override
        public RuntimeException inDoubt(List<JobId> runs, RuntimeException e) {
            return e;
        }
    }

    Optional<LoadedRun> load(JobId run) {
        return group.write(List.of(run)).get(0);
    }

    private List<Optional<LoadedRun>> read(List<JobId> runs) {
        while (true) {
            Map<UUID, LocalDate> unknownDays = new HashMap<>();
            Map<UUID, LoadedRun> loaded = read(runs, unknownDays);
            if (unknownDays.isEmpty() || !anyMoved(unknownDays)) {
                return runs.stream()
                        .map(run -> Optional.ofNullable(loaded.get(run.value())))
                        .toList();
            }
        }
    }

    private Map<UUID, LoadedRun> read(List<JobId> runs, Map<UUID, LocalDate> unknownDays) {
        List<UUID> ids = runs.stream().map(JobId::value).toList();
        Map<UUID, List<StepRow>> steps = new HashMap<>();
        Map<UUID, LoadedRun> loaded = new HashMap<>();
        database.send(
                new StatementPart(
                        database.sql("workflows/load_steps_of_runs"),
                        params -> params.uuids(ids),
                        statement -> readSteps(StatementPart.rows(statement), steps)),
                new StatementPart(
                        database.sql("workflows/load_run"),
                        params -> params.uuids(ids),
                        statement -> readRuns(StatementPart.rows(statement), steps, loaded, unknownDays)));
        return loaded;
    }

    private static void readSteps(ResultSet rows, Map<UUID, List<StepRow>> steps) throws SQLException {
        steps.clear();
        while (rows.next()) {
            steps.computeIfAbsent(rows.getObject("id", UUID.class), id -> new ArrayList<>())
                    .add(RunReader.step(rows));
        }
    }

    private void readRuns(
            ResultSet rows,
            Map<UUID, List<StepRow>> steps,
            Map<UUID, LoadedRun> loaded,
            Map<UUID, LocalDate> unknownDays)
            throws SQLException {
        loaded.clear();
        unknownDays.clear();
        while (rows.next()) {
            UUID id = rows.getObject("id", UUID.class);
            loaded.put(id, run(new JobId(id), rows, steps.getOrDefault(id, List.of())));
            LocalDate day =
                    Rows.instant(rows, "steps_from").atOffset(ZoneOffset.UTC).toLocalDate();
            if (!days.contains(day)) {
                unknownDays.put(id, day);
            }
        }
    }

    private static LoadedRun run(JobId id, ResultSet row, List<StepRow> steps) throws SQLException {
        return new LoadedRun(
                id,
                new JobId(row.getObject("first_run", UUID.class)),
                row.getBoolean("child"),
                row.getString("workflow_name"),
                row.getString("workflow_version"),
                row.getString("input"),
                Optional.ofNullable(row.getString("ends_as"))
                        .flatMap(RunStatus::find)
                        .orElse(null),
                row.getString("error"),
                row.getString("resolution_reason"),
                row.getBoolean("cancel_requested"),
                row.getBoolean("ended"),
                row.getBoolean("paused"),
                steps,
                Rows.instant(row, "now"));
    }

    /**
     * Makes sure that there are partitions for the steps of these runs. A run that was started while no node was there to make its
     * partition, and whose day is over, gets today: then the runs are to be loaded again.
     */
    private boolean anyMoved(Map<UUID, LocalDate> unknownDays) {
        boolean moved = database.inRawTransaction(connection -> {
            database.query("jobs/prepare_history")
                    .with(p -> p.number(DAYS_AHEAD))
                    .run(connection);
            int changed = 0;
            for (Map.Entry<UUID, LocalDate> run : unknownDays.entrySet()) {
                changed += database.query("workflows/steps_from_today")
                        .with(p -> p.text(run.getValue().format(DateTimeFormatter.BASIC_ISO_DATE))
                                .uuid(run.getKey()))
                        .update(connection);
            }
            return changed > 0;
        });
        if (!moved) {
            days.addAll(unknownDays.values());
        }
        return moved;
    }
}
