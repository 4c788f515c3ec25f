package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.runtime.SentCommits;
import dev.muster.job.Cancellation;
import dev.muster.job.EnqueueOutcomeUnknown;
import dev.muster.job.Enqueued;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.admission.PostgresAdmissionStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.DatabaseErrors.NotConnected;
import dev.muster.postgres.internal.db.GroupCommit;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Enqueues and cancels jobs, and changes jobs that no node has claimed. */
public final class JobWriter {
    private static final int TRIES = 4;
    private static final int CANCEL_TRIES = 20;

    /** Larger chunks gain nothing by sharing a commit. */
    private static final int MAX_SHARED = 50;

    private final Database database;
    private final PostgresDependencyStore dependencies;
    private final JobKeys keys;
    private final JobInsert insert;
    private final TakenIds takenIds;
    private final PlacementLimit placements;
    private final BatchMembers batches;
    private final PostgresAdmissionStore admission;
    private final GroupCommit<NewJob, JobId> group = new GroupCommit<>(new SharedEnqueue());

    JobWriter(Database database, PostgresDependencyStore dependencies, PostgresAdmissionStore admission, Clock clock) {
        this.database = database;
        this.admission = admission;
        this.dependencies = dependencies;
        this.keys = new JobKeys(database);
        this.insert = new JobInsert(database);
        this.takenIds = new TakenIds(database);
        this.placements = new PlacementLimit(database, clock);
        this.batches = new BatchMembers(database);
    }

    /** Enqueues of several threads in one commit. */
    private final class SharedEnqueue implements GroupCommit.Work<NewJob, JobId> {
        @Override
        public List<JobId> write(List<NewJob> jobs, boolean doubt) {
            return ids(commit(jobs, doubt));
        }

        @Override
        public boolean leavesDoubt(RuntimeException e) {
            return e instanceof EnqueueOutcomeUnknown;
        }

        @Override
        public EnqueueOutcomeUnknown inDoubt(List<NewJob> jobs, RuntimeException e) {
            return unknown(jobs, e);
        }

        @Override
        public int characters(NewJob job) {
            return job.args().length();
        }
    }

    /** Enqueues and commits; a small chunk may share its commit with those of other threads. */
    List<JobId> enqueue(List<NewJob> jobs) {
        placements.admit(jobs);
        List<JobId> ids = isOneInsert(jobs) && jobs.size() <= MAX_SHARED ? group.write(jobs) : ids(commit(jobs, false));
        SentCommits.note();
        admission.admitAndTell(groupsOf(jobs));
        return ids;
    }

    private static Set<String> groupsOf(List<NewJob> jobs) {
        Set<String> found = Set.of();
        for (NewJob job : jobs) {
            if (job.concurrencyGroup() != null) {
                found = found.isEmpty() ? new HashSet<>() : found;
                found.add(job.concurrencyGroup());
            }
        }
        return found;
    }

    /** Enqueues, and returns which jobs were added: all of them if they need only the insert. */
    List<Enqueued> submit(List<NewJob> jobs) {
        if (isOneInsert(jobs)) {
            return enqueue(jobs).stream().map(id -> new Enqueued(id, true)).toList();
        }
        placements.admit(jobs);
        List<Enqueued> enqueued = commit(jobs, false);
        admission.admitAndTell(groupsOf(jobs));
        return enqueued;
    }

    private static List<JobId> ids(List<Enqueued> enqueued) {
        return enqueued.stream().map(Enqueued::id).toList();
    }

    /** Whether these jobs need only the insert. */
    private static boolean isOneInsert(List<NewJob> jobs) {
        return jobs.stream()
                .noneMatch(job -> job.key() != null || job.idGiven() || job.isDependent() || job.batch() != null);
    }

    /**
     * Enqueues in its own transaction. If the connection breaks around the commit, the outcome is unknown; the same ids are
     * then sent again, which cannot create a second job.
     *
     * @param inDoubt whether an earlier call may have enqueued the jobs
     */
    private List<Enqueued> commit(List<NewJob> jobs, boolean inDoubt) {
        boolean doubt = inDoubt;
        for (int attempt = 1; ; attempt++) {
            boolean careful = doubt;
            try {
                if (!careful && isOneInsert(jobs)) {
                    if (JobCopy.mayTake(jobs)) {
                        database.once(connection -> insert.write(connection, database.begin(), jobs));
                    } else {
                        database.statement(connection -> insert.write(connection, database.limits(connection), jobs));
                    }
                    return jobs.stream()
                            .map(job -> new Enqueued(job.id(), true))
                            .toList();
                }
                return database.once(connection -> {
                    database.applyTimeLimits(connection);
                    return write(connection, jobs, careful);
                });
            } catch (NotConnected e) {
                if (attempt >= TRIES || !doubt) {
                    throw doubt ? unknown(jobs, e) : DatabaseErrors.translate(e);
                }
            } catch (SQLException e) {
                boolean lost = SqlStates.connectionLost(e);
                doubt |= lost;
                if (attempt >= TRIES || !lost && !SqlStates.worthRepeating(e)) {
                    // If a repetition is refused, that says nothing about the first try.
                    throw doubt ? unknown(jobs, e) : refused(e);
                }
            }
            pause(attempt + 1, doubt, jobs);
        }
    }

    /** A caller that is interrupted before the repetition still does not know the outcome of the first try. */
    private static void pause(int attempt, boolean doubt, List<NewJob> jobs) {
        try {
            Database.pause(attempt);
        } catch (MusterException e) {
            throw doubt ? unknown(jobs, new SQLException(e.getMessage(), SqlStates.COMMIT_UNKNOWN, e)) : e;
        }
    }

    private static EnqueueOutcomeUnknown unknown(List<NewJob> jobs, Exception e) {
        return new EnqueueOutcomeUnknown(jobs.stream().map(NewJob::id).toList(), e);
    }

    private static RuntimeException refused(SQLException e) {
        if (SqlStates.cannotBeStored(e)) {
            return new InvalidJob("PostgreSQL cannot store these args: " + e.getMessage(), e);
        }
        return DatabaseErrors.translate(e);
    }

    /**
     * Writes all of the jobs or none, even if the caller catches the exception and commits.
     *
     * @throws DatabaseUnavailable if the connection cannot be used any more
     */
    List<Enqueued> submit(Connection connection, List<NewJob> jobs) throws SQLException {
        try {
            return submitIn(connection, jobs);
        } catch (SQLException e) {
            if (SqlStates.connectionBroke(e) || SqlStates.notFromTheServer(e)) {
                throw new DatabaseUnavailable(
                        "the jobs could not be enqueued in the caller's transaction; roll back: " + e.getMessage(), e);
            }
            throw e;
        }
    }

    private List<Enqueued> submitIn(Connection connection, List<NewJob> jobs) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new InvalidJob("in(connection) needs an open transaction: call setAutoCommit(false) first");
        }
        Savepoint start = connection.setSavepoint();
        try {
            database.timeline().requireInside(connection);
            placements.admit(connection, jobs);
            List<Enqueued> written = write(connection, jobs, false);
            admission.putInGroup(connection, groupsOf(jobs));
            connection.releaseSavepoint(start);
            return written;
        } catch (RuntimeException e) {
            connection.rollback(start);
            throw e;
        } catch (SQLException e) {
            if (!SqlStates.connectionLost(e)) {
                connection.rollback(start);
            }
            if (SqlStates.invalidValue(e)) {
                throw refused(e);
            }
            throw e;
        }
    }

    /** @param careful whether some of the ids may have been enqueued by an earlier call */
    private List<Enqueued> write(Connection connection, List<NewJob> jobs, boolean careful) throws SQLException {
        Map<JobId, JobId> holders = keys.take(connection, jobs);
        List<NewJob> fresh = new ArrayList<>(jobs.size());
        Map<JobId, String> seen = new HashMap<>();
        boolean knownIds = careful;
        for (NewJob job : jobs) {
            if (holders.getOrDefault(job.id(), job.id()).equals(job.id())) {
                String sameId = seen.putIfAbsent(job.id(), job.name());
                TakenIds.check(job, sameId);
                if (sameId == null) {
                    fresh.add(job);
                    knownIds |= job.idGiven();
                }
            }
        }
        List<NewJob> added = List.of();
        if (!fresh.isEmpty()) {
            Set<UUID> held = batches.hold(connection, fresh);
            added = knownIds ? insert.writeMissing(connection, fresh) : insert.write(connection, "", fresh);
            takenIds.check(connection, fresh, added);
            BatchMembers.check(held, added);
            dependencies.record(connection, added);
        }
        return enqueued(jobs, holders, added, careful);
    }

    /**
     * When a call with an unknown outcome is repeated, it may find jobs that it has added itself; with a key, these count as
     * its own.
     */
    private static List<Enqueued> enqueued(
            List<NewJob> jobs, Map<JobId, JobId> holders, List<NewJob> added, boolean careful) {
        Set<JobId> fresh = new HashSet<>();
        added.forEach(job -> fresh.add(job.id()));
        List<Enqueued> enqueued = new ArrayList<>(jobs.size());
        for (NewJob job : jobs) {
            JobId id = holders.getOrDefault(job.id(), job.id());
            boolean own = id.equals(job.id());
            enqueued.add(new Enqueued(id, own && (fresh.remove(id) || careful && !job.idGiven())));
        }
        return enqueued;
    }

    Cancellation cancel(JobId id) {
        for (int attempt = 1; ; attempt++) {
            Optional<Cancellation> done = database.inTransaction(connection -> tryCancel(connection, id));
            if (done.isPresent()) {
                return done.get();
            }
            if (attempt >= CANCEL_TRIES) {
                return Cancellation.COMPLETING;
            }
            Database.pause(2);
        }
    }

    /** Empty if another transaction has locked the row. */
    private Optional<Cancellation> tryCancel(Connection connection, JobId id) throws SQLException {
        Optional<String> status = status(connection, "jobs/lock_live", id);
        if (status.isEmpty()) {
            if (status(connection, "jobs/status", id).isPresent()) {
                return Optional.empty();
            }
            boolean ended = status(connection, "jobs/ended_status", id).isPresent();
            return Optional.of(ended ? Cancellation.ALREADY_ENDED : Cancellation.NOT_FOUND);
        }
        boolean held = switch (JobStatus.stored(status.get())) {
            case CLAIMED, RUNNING -> true;
            case UNKNOWN ->
                throw new MusterException("job " + id + " has the status '" + status.get()
                        + "', which this version of Muster does not know: cancel it with the newer version");
            default -> false;
        };
        database.preparedQuery(held ? "jobs/request_cancel" : "jobs/cancel_unclaimed")
                .with(p -> p.uuid(id.value()))
                .update(connection);
        return Optional.of(held ? Cancellation.REQUESTED : Cancellation.CANCELLED);
    }

    private Optional<String> status(Connection connection, String query, JobId id) throws SQLException {
        return database.preparedQuery(query).with(p -> p.uuid(id.value())).first(connection, row -> row.getString(1));
    }

    /** Changes the due time of a job that no node has claimed; empty if there is no such job. */
    Optional<Lane> reschedule(JobId id, @Nullable Duration delay, @Nullable Instant at) {
        return changeUnclaimed(
                id,
                database.preparedQuery("jobs/reschedule")
                        .with(p -> p.text(at == null ? null : at.toString())
                                .number(delay == null ? 0 : delay.toMillis())
                                .uuid(id.value())));
    }

    /** Changes the priority of a job that no node has claimed; empty if there is no such job. */
    Optional<Lane> reprioritise(JobId id, Priority priority) {
        return changeUnclaimed(
                id,
                database.preparedQuery("jobs/reprioritise")
                        .with(p -> p.number(priority.level()).uuid(id.value())));
    }

    /**
     * Locks the job's row first, in a separate statement, so that the change reads the clock after all waiting. It waits for a
     * claim that is under way, after which there is nothing to change. The group of the job is locked before that: while a change is under way that
     * gives an admitted job an earlier time, no admission may take its present time for the earliest in the group.
     */
    private Optional<Lane> changeUnclaimed(JobId id, Query change) {
        Set<String> changed = new HashSet<>();
        Optional<Lane> lane = database.inTransaction(connection -> {
            changed.clear();
            database.preparedQuery("admission/lock_of_job")
                    .with(p -> p.uuid(id.value()))
                    .exists(connection);
            return status(connection, "jobs/lock_unclaimed", id).isPresent()
                    ? change.first(connection, row -> {
                        if (row.getString(3) != null) {
                            changed.add(row.getString(3));
                        }
                        return new Lane(row.getString(1), row.getString(2));
                    })
                    : Optional.empty();
        });
        admission.admitAndTell(changed);
        return lane;
    }
}
