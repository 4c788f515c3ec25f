package dev.muster.postgres.workflows;

import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import dev.muster.workflow.WorkflowStore.NewRun;
import dev.muster.workflow.WorkflowStore.Started;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts runs: writes them and their drivers. */
final class NewRuns {
    private final Database database;

    NewRuns(Database database) {
        this.database = database;
    }

    /** Stores runs and their drivers; those whose id or key exists are found instead. */
    Started start(Connection connection, List<NewRun> runs) throws SQLException {
        Set<UUID> added = new HashSet<>(database.preparedQuery("workflows/start")
                .with(p -> bind(p, runs))
                .list(connection, row -> row.getObject(1, UUID.class)));
        Map<String, JobId> existing = added.size() == runs.size() ? Map.of() : existing(connection, runs);
        Set<Lane> lanes = new HashSet<>();
        List<JobId> ids = runs.stream()
                .map(run -> {
                    if (added.contains(run.id().value())) {
                        lanes.add(run.options().lane());
                        return run.id();
                    }
                    return existing.getOrDefault(keyOf(run), run.id());
                })
                .toList();
        return new Started(ids, lanes);
    }

    private static @Nullable String keyOf(NewRun run) {
        return run.key() == null ? null : run.definition().name() + " " + run.key();
    }

    /** The runs that hold the keys of these. */
    private Map<String, JobId> existing(Connection connection, List<NewRun> runs) throws SQLException {
        Map<String, JobId> holders = new HashMap<>();
        database.query("workflows/find_started")
                .with(p -> p.uuids(runs.stream().map(run -> run.id().value()).toList())
                        .column("text", runs, run -> run.definition().name())
                        .column("text", runs, NewRun::key))
                .each(connection, row -> {
                    if (row.getString(3) != null) {
                        holders.put(row.getString(2) + " " + row.getString(3), new JobId(row.getObject(1, UUID.class)));
                    }
                });
        return holders;
    }

    private static void bind(Params params, List<NewRun> runs) throws SQLException {
        params.uuids(runs.stream().map(run -> run.id().value()).toList())
                .column("text", runs, run -> run.definition().name())
                .column("text", runs, run -> run.definition().version())
                .column("text", runs, run -> run.definition().signature())
                .column("text", runs, run -> run.definition().driver())
                .column("text", runs, run -> run.options().lane().queue())
                .column("text", runs, run -> run.options().lane().capability())
                .column("int2", runs, run -> run.options().priority().level())
                .column("int2", runs, run -> run.options().maxCrashes())
                .column("text", runs, NewRun::input)
                .column("text", runs, NewRun::key)
                .column(
                        "int8",
                        runs,
                        run -> run.delay() == null ? null : run.delay().toMillis())
                .column(
                        "uuid",
                        runs,
                        run -> run.parent() == null ? null : run.parent().value())
                .column("text", runs, NewRun::parentPath)
                .column("text", runs, NewRun::trace);
    }
}
