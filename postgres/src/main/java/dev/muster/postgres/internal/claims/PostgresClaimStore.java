package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.ClaimLookup.Ended;
import dev.muster.postgres.internal.claims.HeldClaims.ClaimNote;
import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.postgres.internal.recovery.RecoveredRows;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Opens the sessions with which a node claims and writes outcomes, renews leases, and tells what has become of claims. */
public final class PostgresClaimStore implements ClaimStore {
    private final Database database;
    private final ControlConnection control;
    private final AdmissionStore admission;
    private final Clock clock;
    private final HeldClaims held = new HeldClaims();
    private final List<FeatureOutcomes> features;
    private final ClaimLookup lookup;
    private final ProgressAndLogWriter progressAndLogs;
    private final PartitionCreator partitions;

    /**
     * @param control carries renewals: a pool that others have emptied must not cost a node its claims
     * @param features what features add to the outcomes of plain jobs
     * @param admission admits jobs to places that ended jobs have left
     */
    public PostgresClaimStore(
            Database database,
            ControlConnection control,
            List<FeatureOutcomes> features,
            AdmissionStore admission,
            Clock clock) {
        this.database = database;
        this.admission = admission;
        this.features = List.copyOf(features);
        this.control = control;
        this.clock = clock;
        this.lookup = new ClaimLookup(database);
        this.progressAndLogs = new ProgressAndLogWriter(database);
        this.partitions = new PartitionCreator(database);
    }

    @Override
    public ClaimSession openClaims(ClaimFilter filter) {
        return new ClaimSessions(database, held, features, filter, clock);
    }

    @Override
    public List<ClaimSession> openClaims(ClaimFilter filter, List<Set<String>> names) {
        SharedProbe sharedProbe = new SharedProbe(clock);
        return names.stream()
                .<ClaimSession>map(own -> {
                    ClaimSessions session = new ClaimSessions(database, held, features, filter.onlyNames(own), clock);
                    session.join(sharedProbe);
                    return session;
                })
                .toList();
    }

    @Override
    public Set<Lane> admit(Collection<String> free) {
        return admission.admitUnlessBusy(free);
    }

    @Override
    public AdmissionStore.Begin mayBegin(String group) {
        return admission.mayBegin(group);
    }

    @Override
    public Marked markRunning(Collection<Start> starts) {
        List<Start> sorted = starts.stream()
                .sorted((a, b) -> a.claim().id().compareTo(b.claim().id()))
                .toList();
        List<ClaimRef> claims = sorted.stream().map(Start::claim).toList();
        held.forgetCtids(claims);
        Marked marked = database.inTransaction(connection -> {
            Set<ClaimRef> running = markRunning(connection, sorted);
            return new Marked(running, lookup.lost(connection, ClaimLookup.without(claims, running)));
        });
        marked.lost().forEach(held::closed);
        return marked;
    }

    private Set<ClaimRef> markRunning(Connection connection, List<Start> sorted) throws SQLException {
        Set<ClaimRef> running = new HashSet<>();
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/mark_running"))) {
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
        held.forgetCtids(refs);
        List<Recovered> taken = control.inTransaction(database, connection -> {
            // Writes the handler's own limits, by which the crash is judged.
            markRunning(connection, sorted);
            try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/requeue_crashed"))) {
                return RecoveredRows.read(new Params(statement).claims(refs).query());
            }
        });
        refs.forEach(held::closed);
        return taken;
    }

    @Override
    public HandedBack release(Collection<ClaimRef> claims) {
        Outcomes outcomes =
                new Outcomes(claims.stream().<Outcome>map(Outcome.Released::new).toList());
        held.forgetCtids(claims);
        HandedBack handedBack = control.inTransaction(database, connection -> {
            HandedBack back = new HandedBack(new HashSet<>(), new HashSet<>(), new HashSet<>());
            try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/requeue"))) {
                Params params = new Params(statement);
                outcomes.bindReturning(params);
                ResultSet rows = params.query();
                while (rows.next()) {
                    if (rows.getString(3) == null) {
                        back.cancelled().add(Outcomes.claim(rows));
                    } else {
                        back.pending().add(Outcomes.claim(rows));
                        back.lanes().add(new Lane(rows.getString(3), rows.getString(4)));
                    }
                }
            }
            return back;
        });
        claims.forEach(held::closed);
        return handedBack;
    }

    @Override
    public void forgetClaims(String node) {
        List<ClaimNote> settled = held.takeSettled();
        if (!settled.isEmpty()) {
            control.inTransaction(database, connection -> {
                try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/delete_notes"))) {
                    ClaimNote.bind(new Params(statement), settled, node);
                    return statement.executeUpdate();
                }
            });
        }
    }

    @Override
    public Optional<Content> content(ClaimRef claim) {
        return database.inTransaction(connection -> {
            try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/content"))) {
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
        List<ClaimRef> sorted = ClaimLookup.sorted(claims);
        held.forgetCtids(sorted);
        Renewal renewal = control.inTransaction(database, connection -> {
            Set<ClaimRef> renewed = new HashSet<>();
            Set<ClaimRef> cancelled = new HashSet<>();
            try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/renew"))) {
                new Params(statement).claims(sorted).number(lease.toMillis());
                ClaimLookup.readHeld(statement.executeQuery(), renewed, cancelled);
            }
            List<ClaimRef> missing = ClaimLookup.without(sorted, renewed);
            Set<ClaimRef> lost = lookup.lost(connection, missing);
            return new Renewal(lost, cancelled, new HashSet<>(ClaimLookup.without(missing, lost)));
        });
        renewal.lost().forEach(held::closed);
        return renewal;
    }

    @Override
    public Renewal inspect(Collection<ClaimRef> claims) {
        return lookup.inspect(claims);
    }

    @Override
    public Set<ClaimRef> progress(Map<ClaimRef, JobInfo.Progress> progress) {
        held.forgetCtids(progress.keySet());
        return progressAndLogs.progress(progress);
    }

    @Override
    public void appendLogs(List<NewLogLine> admission) {
        progressAndLogs.append(admission);
    }

    @Override
    public boolean completeIn(Connection connection, Outcome.Completed outcome) throws SQLException {
        ClaimRef claim = outcome.claim();
        database.timeline().requireInside(connection);
        held.forgetCtids(List.of(claim));
        try {
            if (finishIn(connection, new Outcomes(List.of(outcome))) == 1) {
                return true;
            }
            requireVisible(connection, claim);
            return false;
        } catch (SQLException e) {
            if (SqlStates.noPartition(e)) {
                // The caller's transaction is lost to it; the next attempt finds the day.
                partitions.prepareDays();
            }
            throw SqlStates.serializationFailure(e) ? needsReadCommitted(claim, e) : e;
        }
    }

    private int finishIn(Connection connection, Outcomes outcomes) throws SQLException {
        if (outcomes.hasProgress()) {
            try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/last_progress"))) {
                outcomes.bindProgress(new Params(statement));
                statement.executeUpdate();
            }
        }
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/finish"))) {
            outcomes.bindEnding(new Params(statement));
            return statement.executeUpdate();
        }
    }

    /** A transaction with one snapshot for all its statements may be older than the claim, and not see it. Throws if so. */
    private void requireVisible(Connection connection, ClaimRef claim) throws SQLException {
        boolean readCommitted =
                database.query("transactions/is_read_committed").one(connection, row -> row.getBoolean(1));
        if (!readCommitted && !lostNow(claim)) {
            throw needsReadCommitted(claim, null);
        }
    }

    private boolean lostNow(ClaimRef claim) {
        return database.inTransaction(
                connection -> lookup.lost(connection, List.of(claim)).contains(claim));
    }

    private static SQLException needsReadCommitted(ClaimRef claim, @Nullable SQLException cause) {
        return new SQLException(
                "job " + claim.id()
                        + " cannot be completed in this transaction, which is REPEATABLE READ or SERIALIZABLE:"
                        + " the job's row has changed since the transaction began, as it does half a second after the"
                        + " job's start and with each renewal. Use READ COMMITTED for the transaction that completes the"
                        + " job, or begin it shortly before completeIn",
                SqlStates.SERIALIZATION_FAILURE,
                cause);
    }

    @Override
    public boolean lostContactSince(long nanos) {
        return control.lostContactSince(nanos);
    }

    @Override
    public CompletionState completionOf(ClaimRef claim) {
        CompletionState state = database.inTransaction(connection -> {
            // Live first: a row leaves the live table only for history, so the other order could miss both.
            boolean live = !lookup.lost(connection, List.of(claim)).contains(claim);
            if (!live) {
                Ended ended = lookup.ended(connection, Set.of(claim)).get(claim);
                return ended != null && ended.status() == JobStatus.COMPLETED
                        ? CompletionState.COMMITTED
                        : CompletionState.LOST;
            }
            return isLocked(connection, claim) ? CompletionState.OPEN : CompletionState.ROLLED_BACK;
        });
        if (state == CompletionState.LOST || state == CompletionState.COMMITTED) {
            held.closed(claim);
        }
        return state;
    }

    private boolean isLocked(Connection connection, ClaimRef claim) throws SQLException {
        return !database.preparedQuery("jobs/probe_claim_lock")
                .with(p -> p.uuid(claim.id().value()).number(claim.token()))
                .exists(connection);
    }

    @Override
    public void prepareHistory() {
        partitions.prepareDays();
    }
}
