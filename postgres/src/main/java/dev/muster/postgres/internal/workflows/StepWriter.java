package dev.muster.postgres.internal.workflows;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.RunClaim;
import dev.muster.internal.workflow.WorkflowStore.SavedStep;
import dev.muster.internal.workflow.WorkflowStore.ServerReplaced;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.Unstorable;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.GroupCommit;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.StatementPart;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores steps; those of several runs share a commit. */
final class StepWriter {
    private static final int TRIES = 20;

    private final Database database;
    private final RunReader reader;
    private final GroupCommit<Write, Optional<SavedStep>> group = new GroupCommit<>(new SharedSave());

    StepWriter(Database database, RunReader reader) {
        this.database = database;
        this.reader = reader;
    }

    /**
     * A step to be stored.
     *
     * @param isNew whether nothing is stored under its path, as far as is known: then a cheaper statement will do
     */
    private record Write(
            RunClaim claim, StepRow row, @Nullable String node, boolean isNew) {
        static Write first(RunClaim claim, StepRow row, @Nullable String node) {
            boolean stepOrCompensation = row.kind() == StepKind.STEP || row.kind() == StepKind.COMPENSATION;
            return new Write(claim, row, node, stepOrCompensation && row.attempt() == 1);
        }

        Write again() {
            return new Write(claim, row, node, false);
        }

        Key key() {
            return new Key(claim.ref(), row.path());
        }
    }

    private record Key(ClaimRef claim, String path) {}

    /** Steps of several threads in one commit. */
    private final class SharedSave implements GroupCommit.Work<Write, Optional<SavedStep>> {

        /** Storing a step twice is harmless: the second time finds it. */
        @Override
        public List<Optional<SavedStep>> write(List<Write> steps, boolean doubt) {
            try {
                return writeNewOnes(doubt ? steps.stream().map(Write::again).toList() : steps);
            } catch (MusterException e) {
                SQLException cause = e.getCause() instanceof SQLException sql ? sql : null;
                if (cause != null && SqlStates.cannotBeStored(cause)) {
                    throw new Unstorable("the database cannot store the step: " + cause.getMessage(), cause);
                }
                throw e;
            }
        }

        private List<Optional<SavedStep>> writeNewOnes(List<Write> steps) {
            try {
                return writeAll(steps);
            } catch (MusterException e) {
                if (e.getCause() instanceof SQLException sql && SqlStates.alreadyExists(sql)) {
                    return writeAll(steps.stream().map(Write::again).toList());
                }
                throw e;
            }
        }

        private List<Optional<SavedStep>> writeAll(List<Write> steps) {
            Map<Key, SavedStep> newOnes = new HashMap<>();
            Map<Key, SavedStep> others = new HashMap<>();
            database.send(Stream.of(
                            part("workflows/save_new_steps", steps.stream().filter(Write::isNew), newOnes),
                            part("workflows/save_steps", steps.stream().filter(step -> !step.isNew()), others))
                    .flatMap(Optional::stream)
                    .toArray(StatementPart[]::new));
            Map<Key, SavedStep> saved = new HashMap<>(newOnes);
            saved.putAll(others);
            return steps.stream()
                    .map(step -> Optional.ofNullable(saved.get(step.key())))
                    .toList();
        }

        /** The part that stores these steps; none if there are none. */
        private Optional<StatementPart> part(String statement, Stream<Write> some, Map<Key, SavedStep> saved) {
            List<Write> steps = some.toList();
            return steps.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new StatementPart(database.sql(statement), params -> bind(params, steps), answer -> {
                        // The transaction has read its server's timeline, and is rolled back if this throws.
                        steps.forEach(step -> requireSameServer(step.claim()));
                        read(StatementPart.rows(answer), steps, saved);
                    }));
        }

        @Override
        public boolean leavesDoubt(RuntimeException e) {
            return e instanceof DatabaseUnavailable;
        }

        @Override
        public RuntimeException inDoubt(List<Write> steps, RuntimeException e) {
            return e;
        }

        @Override
        public int characters(Write step) {
            return step.row().result() == null ? 0 : step.row().result().length();
        }
    }

    SavedStep save(RunClaim claim, StepRow row, @Nullable String node) {
        Write write = Write.first(claim, row, node);
        for (int attempt = 1; ; attempt++) {
            Optional<SavedStep> saved = group.write(List.of(write)).get(0);
            if (saved.isPresent()) {
                return saved.get();
            }
            Optional<SavedStep> earlier = reader.storedStep(claim.ref(), row.path());
            if (earlier.isPresent() && earlier.get().row().state().isFinal()) {
                return earlier.get();
            }
            // The driver has crashed before, or it is locked, by a node that takes it over or by its operator.
            write = write.again();
            if (attempt >= TRIES) {
                throw new DatabaseUnavailable(
                        "step " + row.path() + " of run " + claim.ref().id()
                                + " could not be stored, because its driver is locked",
                        null);
            }
            Database.pause(2);
        }
    }

    boolean serverReplaced(RunClaim claim) {
        return database.timeline().newest() > claim.timeline();
    }

    /** To be called in the transaction that writes, which then commits on the server that the run was loaded from, or not at all. */
    void requireSameServer(RunClaim claim) {
        if (serverReplaced(claim)) {
            throw new ServerReplaced(claim.ref().id());
        }
    }

    SavedStep saveIn(Connection connection, RunClaim claim, StepRow row, @Nullable String node) throws SQLException {
        requireSameServer(claim);
        Write write = new Write(claim, row, node, false);
        for (int attempt = 1; ; attempt++) {
            SavedStep saved = insert(connection, List.of(write)).get(write.key());
            if (saved != null) {
                return saved;
            }
            // Throws if the claim is lost. Otherwise a node that takes the driver over has locked it, or an operator.
            reader.storedStep(claim.ref(), row.path());
            if (attempt >= TRIES) {
                throw new DatabaseUnavailable(
                        "step " + row.path() + " of run " + claim.ref().id()
                                + " could not be stored now; its effect is rolled back",
                        null);
            }
            Database.pause(2);
        }
    }

    private Map<Key, SavedStep> insert(Connection connection, List<Write> steps) throws SQLException {
        Map<Key, SavedStep> saved = new HashMap<>();
        database.preparedQuery("workflows/save_steps").with(p -> bind(p, steps)).all(connection, found -> {
            read(found, steps, saved);
            return true;
        });
        return saved;
    }

    private static void read(ResultSet found, List<Write> steps, Map<Key, SavedStep> saved) throws SQLException {
        // What an earlier try has read was rolled back.
        saved.clear();
        Map<Key, StepRow> rows = new HashMap<>();
        steps.forEach(step -> rows.put(step.key(), step.row()));
        while (found.next()) {
            Key key = new Key(
                    new ClaimRef(new JobId(found.getObject(1, UUID.class)), found.getLong(5)), found.getString(2));
            StepRow row = rows.get(key);
            saved.put(
                    key,
                    new SavedStep(
                            RunReader.withDue(row, found, "due_at"),
                            (found.getInt(4) & 1) != 0,
                            (found.getInt(4) & 2) != 0));
        }
    }

    private static void bind(Params params, List<Write> steps) throws SQLException {
        params.claims(steps.stream().map(step -> step.claim().ref()).toList())
                .column("text", steps, step -> step.row().path())
                .column("text", steps, step -> step.row().name())
                .column("text", steps, step -> RunReader.text(step.row().kind()))
                .column("text", steps, step -> RunReader.text(step.row().state()))
                .column("int2", steps, step -> step.row().attempt())
                .column("text", steps, step -> step.row().result())
                .column("text", steps, step -> step.row().error())
                .column(
                        "timestamptz",
                        steps,
                        step -> RunOutcomes.time(step.row().due()))
                .column(
                        "int8",
                        steps,
                        step -> step.row().delay() == null
                                ? null
                                : step.row().delay().toMillis())
                .column("text", steps, step -> step.row().compensation())
                .column("text", steps, step -> step.row().compensationArgs())
                .column("text", steps, Write::node);
    }
}
