package dev.muster.postgres.internal.workflows;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.LoadedRun;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.GroupCommit;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.db.StatementPart;
import dev.muster.runtime.Clock;
import dev.muster.workflow.RunStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads runs for their activations. Runs that several threads ask for at the same time are read together, and so are new runs that are
 * claimed and still wait for a thread. Reading those early is safe: only this node can add steps to them while it holds their claim, and
 * what an operator has asked for meanwhile is noticed at the next step.
 */
final class RunLoader {
    private static final int DAYS_AHEAD = 7;
    private static final int READ_ALONG = 100;
    private static final int MAX_EXPECTED = 1_000;

    /** What was read earlier than this is read again. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Database database;
    private final Clock clock;
    private final GroupCommit<ClaimRef, Optional<LoadedRun>> group = new GroupCommit<>(new SharedLoad());
    private final Map<ClaimRef, ReadAlong> expected = new Expected();

    /** Days of which this node knows that steps can be stored. */
    private final Set<LocalDate> days = ConcurrentHashMap.newKeySet();

    RunLoader(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Claims of drivers that wait for a thread, and what was read for them. It is its own lock. */
    private static final class Expected extends LinkedHashMap<ClaimRef, ReadAlong> {
        private static final long serialVersionUID = 1L;

        /** Nobody says when a driver that was expected goes to another node, so the oldest ones are forgotten. */
        @Override
        protected boolean removeEldestEntry(Map.Entry<ClaimRef, ReadAlong> eldest) {
            return size() > MAX_EXPECTED;
        }
    }

    /** @param run null if it was not read yet, or is not new */
    private record ReadAlong(@Nullable LoadedRun run, long readAt) {
        static final ReadAlong NOT_YET = new ReadAlong(null, 0);

        Optional<LoadedRun> ifFresh(long now) {
            long age = now - readAt;
            return run == null || age > FRESH_NANOS
                    ? Optional.empty()
                    : Optional.of(run.withNow(run.now().plusNanos(age)));
        }
    }

    private final class SharedLoad implements GroupCommit.Work<ClaimRef, Optional<LoadedRun>> {
        @Override
        public List<Optional<LoadedRun>> write(List<ClaimRef> claims, boolean doubt) {
            return read(claims);
        }

        @Override
        public boolean leavesDoubt(RuntimeException e) {
            return false;
        }

        @Override
        public RuntimeException inDoubt(List<ClaimRef> claims, RuntimeException e) {
            return e;
        }
    }

    void expect(ClaimRef claim) {
        synchronized (expected) {
            expected.put(claim, ReadAlong.NOT_YET);
        }
    }

    Optional<LoadedRun> load(ClaimRef claim) {
        ReadAlong early;
        synchronized (expected) {
            early = expected.remove(claim);
        }
        return Optional.ofNullable(early)
                .flatMap(read -> read.ifFresh(clock.nanos()))
                .or(() -> group.write(List.of(claim)).get(0));
    }

    private List<Optional<LoadedRun>> read(List<ClaimRef> claims) {
        while (true) {
            Map<UUID, LocalDate> unknownDays = new HashMap<>();
            Map<UUID, LoadedRun> loaded = read(claims, unknownDays);
            if (unknownDays.isEmpty() || !anyMoved(unknownDays)) {
                return claims.stream()
                        .map(claim -> Optional.ofNullable(loaded.get(claim.id().value())))
                        .toList();
            }
        }
    }

    private Map<UUID, LoadedRun> read(List<ClaimRef> claims, Map<UUID, LocalDate> unknownDays) {
        List<UUID> ids = ids(claims);
        List<ClaimRef> along = notYetRead();
        Map<UUID, ReadSteps> steps = new HashMap<>();
        Map<UUID, LoadedRun> loaded = new HashMap<>();
        Map<UUID, LoadedRun> loadedAlong = new HashMap<>();
        List<StatementPart> parts = new ArrayList<>();
        parts.add(new StatementPart(
                database.sql("workflows/load_steps_of_runs"),
                params -> params.uuids(ids),
                answer -> readSteps(StatementPart.rows(answer), steps)));
        parts.add(new StatementPart(
                database.sql("workflows/load_run"),
                params -> params.uuids(ids),
                answer -> readRuns(StatementPart.rows(answer), steps, loaded, unknownDays)));
        if (!along.isEmpty()) {
            parts.add(new StatementPart(
                    database.sql("workflows/load_new_runs"),
                    params -> params.uuids(ids(along)),
                    answer -> readNewRuns(StatementPart.rows(answer), loadedAlong)));
        }
        database.send(parts.toArray(StatementPart[]::new));
        keep(along, loadedAlong);
        return loaded;
    }

    private static List<UUID> ids(List<ClaimRef> claims) {
        return claims.stream().map(claim -> claim.id().value()).toList();
    }

    private List<ClaimRef> notYetRead() {
        synchronized (expected) {
            return expected.entrySet().stream()
                    .filter(entry -> entry.getValue() == ReadAlong.NOT_YET)
                    .limit(READ_ALONG)
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    /** Runs that were not found are not new: they are read when their thread asks for them. */
    private void keep(List<ClaimRef> along, Map<UUID, LoadedRun> loaded) {
        long now = clock.nanos();
        synchronized (expected) {
            along.forEach(claim -> expected.computeIfPresent(
                    claim, (c, none) -> new ReadAlong(loaded.get(claim.id().value()), now)));
        }
    }

    private void readNewRuns(ResultSet rows, Map<UUID, LoadedRun> loaded) throws SQLException {
        Map<UUID, LocalDate> unknownDays = new HashMap<>();
        readRuns(rows, Map.of(), loaded, unknownDays);
        loaded.keySet().removeAll(unknownDays.keySet());
    }

    /** The steps of a run, and what of them this version of Muster does not know. */
    private static final class ReadSteps {
        static final ReadSteps NONE = new ReadSteps();

        final List<StepRow> known = new ArrayList<>();

        @Nullable
        String unknown;
    }

    private static void readSteps(ResultSet rows, Map<UUID, ReadSteps> steps) throws SQLException {
        steps.clear();
        while (rows.next()) {
            ReadSteps run = steps.computeIfAbsent(rows.getObject("id", UUID.class), id -> new ReadSteps());
            Optional<String> unknown = RunReader.unknown(rows);
            if (unknown.isPresent()) {
                run.unknown = unknown.get();
            } else {
                run.known.add(RunReader.step(rows));
            }
        }
    }

    private void readRuns(
            ResultSet rows, Map<UUID, ReadSteps> steps, Map<UUID, LoadedRun> loaded, Map<UUID, LocalDate> unknownDays)
            throws SQLException {
        loaded.clear();
        unknownDays.clear();
        while (rows.next()) {
            UUID id = rows.getObject("id", UUID.class);
            loaded.put(id, run(new JobId(id), rows, steps.getOrDefault(id, ReadSteps.NONE)));
            LocalDate day =
                    Rows.instant(rows, "steps_from").atOffset(ZoneOffset.UTC).toLocalDate();
            if (!days.contains(day)) {
                unknownDays.put(id, day);
            }
        }
    }

    private LoadedRun run(JobId id, ResultSet row, ReadSteps steps) throws SQLException {
        String endsAs = row.getString("ends_as");
        Optional<RunStatus> end = Optional.ofNullable(endsAs).flatMap(RunStatus::find);
        String unknown =
                endsAs != null && end.isEmpty() ? "the run compensates to end as '" + endsAs + "'" : steps.unknown;
        return new LoadedRun(
                id,
                new JobId(row.getObject("first_run", UUID.class)),
                row.getBoolean("child"),
                row.getString("workflow_name"),
                row.getString("workflow_version"),
                row.getString("input"),
                end.orElse(null),
                row.getString("error"),
                row.getString("resolution_reason"),
                row.getBoolean("cancel_requested"),
                row.getBoolean("ended"),
                row.getBoolean("paused"),
                List.copyOf(steps.known),
                unknown,
                Rows.instant(row, "now"),
                database.timeline().newest());
    }

    /**
     * Makes sure that there are partitions for the steps of these runs. A run that was started while no node was there to make its
     * partition, and whose day is over, gets today: then the runs are to be loaded again.
     */
    private boolean anyMoved(Map<UUID, LocalDate> unknownDays) {
        boolean moved = database.inRawTransaction(connection -> {
            database.query("jobs/call_prepare_history")
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
