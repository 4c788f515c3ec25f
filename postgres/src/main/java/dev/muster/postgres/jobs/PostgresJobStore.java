package dev.muster.postgres.jobs;

import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.JobStore;
import dev.muster.job.store.NewJob;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.claims.HeldClaims;
import dev.muster.postgres.claims.LeaseSweep;
import dev.muster.postgres.claims.OutcomeWriter;
import dev.muster.postgres.claims.Outcomes;
import dev.muster.postgres.claims.PostgresClaimSession;
import dev.muster.postgres.claims.ProgressAndLogWriter;
import dev.muster.postgres.claims.RecoveredRows;
import dev.muster.postgres.claims.SweepFloors;
import dev.muster.postgres.db.ControlConnection;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs in PostgreSQL. */
public final class PostgresJobStore implements JobStore {
    private static final String SERIALIZATION_FAILURE = "40001";

    private final Database database;
    private final ControlConnection control;
    private final Clock clock;
    private final HeldClaims held = new HeldClaims();
    private final JobWriter writer;
    private final JobReader reader;
    private final JobSearch search;
    private final Dependencies dependencies;
    private final ProgressAndLogWriter progressAndLogs;
    private final BulkCanceller bulk;
    private final JobRetrier retrier;
    private final PartitionCreator partitions;
    private final LeaseSweep sweep;
    private final SweepFloors floors;

    /** @param control used for renewals, so that a node does not lose its claims when the pool is exhausted */
    public PostgresJobStore(Database database, ControlConnection control, SweepFloors floors, Clock clock) {
        this.database = database;
        this.control = control;
        this.clock = clock;
        this.dependencies = new Dependencies(database, floors.waiting(), clock);
        this.progressAndLogs = new ProgressAndLogWriter(database);
        this.writer = new JobWriter(database, dependencies);
        this.reader = new JobReader(database);
        this.search = new JobSearch(database);
        this.bulk = new BulkCanceller(database, dependencies);
        this.retrier = new JobRetrier(database, dependencies);
        this.partitions = new PartitionCreator(database);
        this.sweep = new LeaseSweep(database, floors);
        this.floors = floors;
    }

    @Override
    public List<JobId> enqueue(List<NewJob> jobs) {
        return writer.enqueue(jobs);
    }

    @Override
    public List<JobId> enqueue(Connection connection, List<NewJob> jobs) throws SQLException {
        return writer.submit(connection, jobs).stream().map(Enqueued::id).toList();
    }

    @Override
    public List<Enqueued> submit(List<NewJob> jobs) {
        return writer.submit(jobs);
    }

    @Override
    public List<Enqueued> submit(Connection connection, List<NewJob> jobs) throws SQLException {
        return writer.submit(connection, jobs);
    }

    @Override
    public ClaimSession openClaims(ClaimScope scope) {
        return new PostgresClaimSession(database, this, held, scope, clock);
    }

    @Override
    public Marked markRunning(Collection<Start> starts) {
        List<Start> sorted = starts.stream()
                .sorted((a, b) -> a.claim().id().compareTo(b.claim().id()))
                .toList();
        List<ClaimRef> claims = sorted.stream().map(Start::claim).toList();
        held.forgetPlaces(claims);
        Marked marked = database.inTransaction(connection -> {
            Set<ClaimRef> running = markRunning(connection, sorted);
            return new Marked(running, lost(connection, without(claims, running)));
        });
        marked.lost().forEach(held::settled);
        return marked;
    }

    private Set<ClaimRef> markRunning(Connection connection, List<Start> sorted) throws SQLException {
        Set<ClaimRef> running = new HashSet<>();
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/mark_running"))) {
            new Params(statement)
                    .claims(sorted.stream().map(Start::claim).toList())
                    .longs(sorted.stream().mapToLong(Start::agoMillis).toArray())
                    .column("int2", sorted, Start::maxAttempts)
                    .column("int2", sorted, Start::maxCrashes);
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                running.add(Outcomes.claim(rows));
            }
        }
        return running;
    }

    @Override
    public List<Recovered> crashed(Collection<Start> claims) {
        List<Start> sorted = claims.stream()
                .sorted((a, b) -> a.claim().id().compareTo(b.claim().id()))
                .toList();
        List<ClaimRef> refs = sorted.stream().map(Start::claim).toList();
        held.forgetPlaces(refs);
        List<Recovered> taken = control.inTransaction(database, connection -> {
            // Writes the handler's limits, which decide whether the crash ends the job.
            markRunning(connection, sorted);
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/crash"))) {
                return RecoveredRows.read(new Params(statement).claims(refs).query());
            }
        });
        refs.forEach(held::settled);
        return taken;
    }

    @Override
    public Set<Lane> release(Collection<ClaimRef> claims) {
        Outcomes outcomes =
                new Outcomes(claims.stream().<Outcome>map(Outcome.Released::new).toList());
        held.forgetPlaces(claims);
        Set<Lane> lanes = control.inTransaction(database, connection -> {
            Set<Lane> back = new HashSet<>();
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/hand_back"))) {
                Params params = new Params(statement);
                outcomes.bindReturning(params);
                ResultSet rows = params.query();
                while (rows.next()) {
                    if (rows.getString(3) != null) {
                        back.add(new Lane(rows.getString(3), rows.getString(4)));
                    }
                }
            }
            return back;
        });
        claims.forEach(held::settled);
        return lanes;
    }

    @Override
    public Optional<Content> content(ClaimRef claim) {
        return database.inTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/content"))) {
                ResultSet rows = new Params(statement)
                        .uuid(claim.id().value())
                        .number(claim.token())
                        .query();
                return rows.next() ? Optional.of(new Content(rows.getString(1), rows.getString(2))) : Optional.empty();
            }
        });
    }

    @Override
    public Renewal renew(Collection<ClaimRef> claims, Duration lease) {
        List<ClaimRef> sorted = sorted(claims);
        held.forgetPlaces(sorted);
        Renewal renewal = control.inTransaction(database, connection -> {
            Set<ClaimRef> renewed = new HashSet<>();
            Set<ClaimRef> cancelled = new HashSet<>();
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/renew"))) {
                new Params(statement).claims(sorted).number(lease.toMillis());
                readHeld(statement.executeQuery(), renewed, cancelled);
            }
            List<ClaimRef> missing = without(sorted, renewed);
            Set<ClaimRef> lost = lost(connection, missing);
            return new Renewal(lost, cancelled, new HashSet<>(without(missing, lost)));
        });
        renewal.lost().forEach(held::settled);
        return renewal;
    }

    @Override
    public Renewal inspect(Collection<ClaimRef> claims) {
        List<ClaimRef> sorted = sorted(claims);
        return database.inTransaction(connection -> {
            Set<ClaimRef> held = new HashSet<>();
            Set<ClaimRef> cancelled = new HashSet<>();
            held(connection, sorted, held, cancelled);
            return new Renewal(new HashSet<>(without(sorted, held)), cancelled, Set.of());
        });
    }

    /** Claims that are neither current nor merely locked. */
    private Set<ClaimRef> lost(Connection connection, List<ClaimRef> doubtful) throws SQLException {
        if (doubtful.isEmpty()) {
            return Set.of();
        }
        Set<ClaimRef> held = new HashSet<>();
        held(connection, doubtful, held, new HashSet<>());
        return new HashSet<>(without(doubtful, held));
    }

    private void held(Connection connection, List<ClaimRef> claims, Set<ClaimRef> held, Set<ClaimRef> cancelled)
            throws SQLException {
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/held"))) {
            new Params(statement).claims(claims);
            readHeld(statement.executeQuery(), held, cancelled);
        }
    }

    private static void readHeld(ResultSet rows, Set<ClaimRef> held, Set<ClaimRef> cancelled) throws SQLException {
        while (rows.next()) {
            ClaimRef claim = Outcomes.claim(rows);
            held.add(claim);
            if (rows.getBoolean(3)) {
                cancelled.add(claim);
            }
        }
    }

    private static List<ClaimRef> sorted(Collection<ClaimRef> claims) {
        return claims.stream().sorted((a, b) -> a.id().compareTo(b.id())).toList();
    }

    private static List<ClaimRef> without(List<ClaimRef> claims, Set<ClaimRef> some) {
        return claims.stream().filter(c -> !some.contains(c)).toList();
    }

    @Override
    public List<Recovered> recoverExpired(Connection tx, int atLeast, boolean everything) throws SQLException {
        return sweep.recover(tx, atLeast, everything);
    }

    @Override
    public List<ExpiredJob> expire(Connection tx, int limit, boolean everything) throws SQLException {
        Long floor = everything ? null : floors.expiry();
        List<ExpiredJob> expired = new ArrayList<>();
        try (PreparedStatement statement = Database.prepare(tx, database.sql("jobs/expire"))) {
            ResultSet rows = new Params(statement)
                    .number(floor == null ? 0 : floor)
                    .number(limit)
                    .query();
            while (rows.next()) {
                expired.add(new ExpiredJob(
                        new JobId(rows.getObject("id", UUID.class)),
                        rows.getString("name"),
                        rows.getString("queue"),
                        rows.getInt("attempt")));
            }
        }
        return expired;
    }

    @Override
    public Overdue searchOverdue() {
        return database.inTransaction(connection -> {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/overdue"))) {
                ResultSet rows = statement.executeQuery();
                rows.next();
                boolean expired = rows.getBoolean("expired");
                UUID waiting = rows.getObject("waiting", UUID.class);
                long micros = rows.getLong("asked_micros");
                if (!expired) {
                    floors.noneExpired(micros);
                }
                floors.waiting().found(waiting, micros / 1_000);
                return new Overdue(expired, waiting != null);
            }
        });
    }

    @Override
    public Set<Lane> resolveDependents(Collection<JobId> ended) {
        return dependencies.resolveDependents(ended);
    }

    @Override
    public Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest) {
        return dependencies.resolveSomeDependents(ended, rest);
    }

    @Override
    public Set<Lane> sweepWaiting(Connection tx) throws SQLException {
        return dependencies.sweep(tx);
    }

    /** A retried job waits for others again, as another node or this one has notified. */
    public void waitsAgain(String payload) {
        dependencies.waitsAgain(payload);
    }

    @Override
    public Set<ClaimRef> progress(Map<ClaimRef, JobInfo.Progress> progress) {
        held.forgetPlaces(progress.keySet());
        return progressAndLogs.progress(progress);
    }

    @Override
    public void appendLogs(List<NewLogLine> lines) {
        progressAndLogs.append(lines);
    }

    @Override
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        return progressAndLogs.read(id, afterLine, limit);
    }

    @Override
    public boolean completeIn(Connection connection, Outcome.Completed outcome) throws SQLException {
        ClaimRef claim = outcome.claim();
        database.timeline().requireInside(connection);
        held.forgetPlaces(List.of(claim));
        try {
            return finishIn(connection, new Outcomes(List.of(outcome))) == 1 || isNotLost(connection, claim);
        } catch (SQLException e) {
            if (OutcomeWriter.NO_PARTITION.equals(e.getSQLState())) {
                // The caller's transaction has failed, but the next attempt finds the partition.
                partitions.prepareDays();
            }
            throw SERIALIZATION_FAILURE.equals(e.getSQLState()) ? needsReadCommitted(claim, e) : e;
        }
    }

    private int finishIn(Connection connection, Outcomes outcomes) throws SQLException {
        if (outcomes.hasProgress()) {
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/last_progress"))) {
                outcomes.bindProgress(new Params(statement));
                statement.executeUpdate();
            }
        }
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/finish"))) {
            outcomes.bindEnding(new Params(statement));
            return statement.executeUpdate();
        }
    }

    /** A transaction with one snapshot for all statements may be older than the claim and not see it. */
    private boolean isNotLost(Connection connection, ClaimRef claim) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT current_setting('transaction_isolation') = 'read committed'")) {
            ResultSet row = statement.executeQuery();
            row.next();
            if (row.getBoolean(1) || lostNow(claim)) {
                return false;
            }
        }
        throw needsReadCommitted(claim, null);
    }

    private boolean lostNow(ClaimRef claim) {
        return database.inTransaction(
                connection -> lost(connection, List.of(claim)).contains(claim));
    }

    private static SQLException needsReadCommitted(ClaimRef claim, @Nullable SQLException cause) {
        return new SQLException(
                "job " + claim.id()
                        + " cannot be completed in this transaction, which is REPEATABLE READ or SERIALIZABLE:"
                        + " the job's row has changed since the transaction began, as it does half a second after the"
                        + " job's start and with each renewal. Use READ COMMITTED for the transaction that completes the"
                        + " job, or begin it shortly before completeIn",
                SERIALIZATION_FAILURE,
                cause);
    }

    @Override
    public boolean lostContactSince(long nanos) {
        return control.lostContactSince(nanos);
    }

    @Override
    public CompletionState completionOf(ClaimRef claim) {
        CompletionState state = database.inTransaction(connection -> {
            // The live table is read first: a row moves only from there to history, so the other order could miss both.
            boolean live = !lost(connection, List.of(claim)).contains(claim);
            if (!live) {
                return acceptedEarlier(connection, Set.of(claim)).isEmpty()
                        ? CompletionState.LOST
                        : CompletionState.COMMITTED;
            }
            return isLocked(connection, claim) ? CompletionState.OPEN : CompletionState.ROLLED_BACK;
        });
        if (state == CompletionState.LOST || state == CompletionState.COMMITTED) {
            held.settled(claim);
        }
        return state;
    }

    private boolean isLocked(Connection connection, ClaimRef claim) throws SQLException {
        String sql = "SELECT id FROM " + database.schema()
                + ".muster_jobs WHERE id = ? AND token = ? FOR UPDATE SKIP LOCKED";
        try (PreparedStatement statement = Database.prepare(connection, sql)) {
            new Params(statement).uuid(claim.id().value()).number(claim.token());
            return !statement.executeQuery().next();
        }
    }

    public Set<ClaimRef> acceptedEarlier(Collection<ClaimRef> claims) {
        return database.inTransaction(connection -> acceptedEarlier(connection, claims));
    }

    private Set<ClaimRef> acceptedEarlier(Connection connection, Collection<ClaimRef> claims) throws SQLException {
        Set<ClaimRef> found = new HashSet<>();
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/accepted"))) {
            new Params(statement).claims(sorted(claims));
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                found.add(Outcomes.claim(rows));
            }
        }
        return found;
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return reader.find(id);
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        return search.list(query);
    }

    @Override
    public JobPage search(JobQuery query, Duration patience) {
        return search.search(query, patience);
    }

    @Override
    public Cancellation cancel(JobId id) {
        return writer.cancel(id);
    }

    @Override
    public Optional<Lane> retry(JobId id) {
        return retrier.retry(id);
    }

    @Override
    public List<Lane> retryDependents(JobId id) {
        return retrier.retryDependents(id);
    }

    @Override
    public Optional<Lane> reschedule(JobId id, @Nullable Duration delay, @Nullable Instant at) {
        return writer.reschedule(id, delay, at);
    }

    @Override
    public Optional<Lane> reprioritise(JobId id, Priority priority) {
        return writer.reprioritise(id, priority);
    }

    @Override
    public BulkCancellation cancelAll(JobQuery query) {
        return bulk.cancelAll(query);
    }

    @Override
    public List<Lane> retryAll(JobQuery query) {
        return retrier.retryAll(query);
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        return retrier.retryable(query);
    }

    @Override
    public void prepareHistory() {
        partitions.prepareDays();
    }

    @Override
    public List<Recovered> recoverAll() {
        database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("jobs/recover_all"))) {
                return statement.executeUpdate();
            }
        });
        List<Recovered> recovered = new ArrayList<>();
        List<Recovered> some;
        do {
            some = database.inTransaction(tx -> recoverExpired(tx, 1_000, false));
            recovered.addAll(some);
        } while (some.size() >= 1_000);
        return recovered;
    }
}
