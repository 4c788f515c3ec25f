package dev.muster.postgres.internal.workflows;

import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Started;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.jobs.TakenIds;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Starts runs: writes them and their drivers. */
final class NewRuns {
    private static final int TRIES = 5;

    private final Database database;
    private final TakenIds takenIds;

    NewRuns(Database database) {
        this.database = database;
        this.takenIds = new TakenIds(database);
    }

    /** Stores runs and their drivers; those whose id or key exists are found instead. */
    Started start(Connection connection, List<NewRun> runs) throws SQLException {
        checkIds(runs);
        checkJobs(connection, runs);
        Map<JobId, JobId> ids = new HashMap<>();
        Set<Lane> lanes = new HashSet<>();
        List<NewRun> left = runs;
        for (int attempt = 1; !left.isEmpty(); attempt++) {
            if (attempt > TRIES) {
                throw new MusterException("the run with key '" + left.get(0).key()
                        + "' was deleted while another one was started; start it again");
            }
            add(connection, left, ids, lanes);
            // The holder of a key may have been forgotten between the two statements: then the key is free.
            left = left.stream().filter(run -> !ids.containsKey(run.id())).toList();
        }
        return new Started(runs.stream().map(run -> ids.get(run.id())).toList(), lanes);
    }

    private void add(Connection connection, List<NewRun> runs, Map<JobId, JobId> ids, Set<Lane> lanes)
            throws SQLException {
        Set<UUID> added = new HashSet<>(database.preparedQuery("workflows/start")
                .with(p -> bind(p, runs))
                .list(connection, row -> row.getObject(1, UUID.class)));
        Holders holders = added.size() == runs.size() ? new Holders() : holders(connection, runs);
        for (NewRun run : runs) {
            if (added.contains(run.id().value())) {
                lanes.add(run.options().lane());
                ids.put(run.id(), run.id());
            } else {
                JobId holder = holders.of(run);
                if (holder != null) {
                    ids.put(run.id(), holder);
                }
            }
        }
    }

    /** Whether a second run with this id would be another one: the code of a parent gives its children their ids. */
    private static boolean hasChosenId(NewRun run) {
        return run.idGiven() && run.parent() == null;
    }

    /** @throws MusterException if two of these runs have one id and different workflows */
    private static void checkIds(List<NewRun> runs) {
        Map<JobId, String> workflows = new HashMap<>();
        for (NewRun run : runs) {
            String workflow = run.definition().name();
            String other = workflows.putIfAbsent(run.id(), workflow);
            if (other != null && !other.equals(workflow)) {
                throw TakenIds.refusal(run.id(), workflow, TakenIds.runOf(other));
            }
        }
    }

    /** @throws MusterException if a run has the id of a job, live or ended, that is not its own driver */
    private void checkJobs(Connection connection, List<NewRun> runs) throws SQLException {
        List<NewRun> chosen = runs.stream().filter(NewRuns::hasChosenId).toList();
        if (chosen.isEmpty()) {
            return;
        }
        Map<JobId, Set<String>> jobs =
                takenIds.names(connection, chosen.stream().map(NewRun::id).toList());
        for (NewRun run : chosen) {
            String workflow = run.definition().name();
            Optional<String> other = jobs.getOrDefault(run.id(), Set.of()).stream()
                    .filter(job -> !DriverJobs.workflowOf(job).equals(Optional.of(workflow)))
                    .findFirst();
            if (other.isPresent()) {
                throw TakenIds.refusal(run.id(), workflow, TakenIds.holderOf(other.get()));
            }
        }
    }

    /**
     * A run that holds an id or a key.
     *
     * @param hash of its input; null if it has no key, or was started by a version that kept none
     */
    private record Holder(
            JobId id, @Nullable String keyId, @Nullable String hash) {

        void requireSame(NewRun run) {
            if (run.fingerprint() != null && hash != null) {
                run.fingerprint()
                        .requireSame(
                                keyId,
                                hash,
                                "key '" + run.key() + "' of workflow '"
                                        + run.definition().name() + "' already stands for run " + id,
                                id);
            }
        }
    }

    /** The runs that hold ids and keys. */
    private static final class Holders {
        private final Map<JobId, String> ids = new HashMap<>();
        private final Map<String, Holder> byKey = new HashMap<>();

        void add(String workflow, @Nullable String key, Holder holder) {
            ids.put(holder.id(), workflow);
            if (key != null) {
                byKey.put(workflow + " " + key, holder);
            }
        }

        @Nullable
        JobId of(NewRun run) {
            Holder holder =
                    run.key() == null ? null : byKey.get(run.definition().name() + " " + run.key());
            String workflow = ids.get(run.id());
            if (holder != null) {
                holder.requireSame(run);
                return holder.id();
            }
            if (workflow == null) {
                return null;
            }
            if (hasChosenId(run) && !workflow.equals(run.definition().name())) {
                throw TakenIds.refusal(run.id(), run.definition().name(), TakenIds.runOf(workflow));
            }
            return run.id();
        }
    }

    private Holders holders(Connection connection, List<NewRun> runs) throws SQLException {
        Holders holders = new Holders();
        database.query("workflows/find_started")
                .with(p -> p.uuids(runs.stream().map(run -> run.id().value()).toList())
                        .column("text", runs, run -> run.definition().name())
                        .column("text", runs, NewRun::key))
                .each(
                        connection,
                        row -> holders.add(
                                row.getString(2),
                                row.getString(3),
                                new Holder(
                                        new JobId(row.getObject(1, UUID.class)), row.getString(4), row.getString(5))));
        return holders;
    }

    private static Function<NewRun, @Nullable Object> of(Function<ArgsFingerprint, @Nullable String> part) {
        return run -> run.fingerprint() == null ? null : part.apply(run.fingerprint());
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
                .column("text", runs, NewRun::trace)
                .column("text", runs, of(ArgsFingerprint::keyId))
                .column("text", runs, of(ArgsFingerprint::hash));
    }
}
