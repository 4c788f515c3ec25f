package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.runtime.Durations;
import dev.muster.job.Lane;
import dev.muster.job.Placement;
import dev.muster.postgres.internal.claims.ExchangeTransaction.Claiming;
import dev.muster.postgres.internal.claims.OutcomeWriter.WriteResult;
import dev.muster.postgres.internal.claims.Outcomes.Accepted;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.DatabaseErrors.NotConnected;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.postgres.internal.recovery.RecoveredRows;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hot path: decides when an exchange probes and where it claims, and learns from the result. Claims either from all queues
 * of its filter that have no limit, or from a single one within its limit.
 */
final class PostgresClaimSession implements ClaimSession {
    private static final Logger log = LoggerFactory.getLogger(PostgresClaimSession.class);

    /** Longer than worker.poll_interval is by default. */
    private static final Duration SECOND_LOOK = Duration.ofMillis(250);

    private final Database database;
    private final ClaimFilter filter;
    private final @Nullable String limitedQueue;
    private final ClaimCursors cursors;
    private final BacklogProbe probe;
    private final ContentionDetector contention;
    private final Clock clock;
    private final OutcomeWriter outcomes;
    private final HeldClaims held;
    private final List<FeatureOutcomes> features;
    private final UnacknowledgedClaims unacknowledged;
    private final WakeOrder wakeOrder;
    private final ScanLimit scanLimit = new ScanLimit();
    private final AtomicLong answers = new AtomicLong();
    private volatile @Nullable QueueRoom lastRoom;

    /** A session that claims from the queues of its filter that have no limit. */
    static PostgresClaimSession withoutLimits(
            Database database,
            HeldClaims held,
            List<FeatureOutcomes> features,
            ClaimFilter filter,
            UnacknowledgedClaims unacknowledged,
            Clock clock) {
        return new PostgresClaimSession(database, held, features, filter, null, unacknowledged, clock);
    }

    /** A session that claims from one queue, within its limit. Only one thread at a time may exchange. */
    static PostgresClaimSession within(
            Database database,
            HeldClaims held,
            List<FeatureOutcomes> features,
            ClaimFilter filter,
            String queue,
            UnacknowledgedClaims unacknowledged,
            Clock clock) {
        return new PostgresClaimSession(
                database, held, features, filter.onlyQueue(queue), queue, unacknowledged, clock);
    }

    private PostgresClaimSession(
            Database database,
            HeldClaims held,
            List<FeatureOutcomes> features,
            ClaimFilter filter,
            @Nullable String limitedQueue,
            UnacknowledgedClaims unacknowledged,
            Clock clock) {
        this.database = database;
        this.limitedQueue = limitedQueue;
        this.held = held;
        this.features = features;
        this.filter = filter;
        this.clock = clock;
        this.wakeOrder = new WakeOrder(filter.node());
        this.cursors = new ClaimCursors(clock, this::turnWhenDue, limitedQueue == null);
        this.probe = new BacklogProbe(database, cursors, filter, limitedQueue, clock);
        this.contention = new ContentionDetector(clock);
        this.unacknowledged = unacknowledged;
        this.outcomes = new OutcomeWriter(database, features);
        cursors.wake(Set.of());
    }

    @Override
    public void wake(Set<Lane> lanes) {
        Set<Lane> served = served(lanes);
        if (lanes.isEmpty() || !served.isEmpty()) {
            cursors.wake(served);
        }
    }

    /** How long after a lane becomes due it is this node's turn to ask it, in microseconds; negative if others do. */
    private long turnWhenDue(Lane lane, long dueMicros) {
        return turn(Set.of(lane), dueMicros)
                .map(pause -> TimeUnit.NANOSECONDS.toMicros(pause.toNanos()))
                .orElse(-1L);
    }

    /** A node that knows which others have its capabilities does not know which of them fit labels and nodes, so it comes itself. */
    private Optional<Duration> turn(Set<Lane> lanes, long micros) {
        return lanes.stream().anyMatch(lane -> Placement.tellsNodesApart(lane.capability()))
                ? Optional.of(Duration.ZERO)
                : wakeOrder.of(lanes, probe.peers(), micros);
    }

    private Set<Lane> served(Set<Lane> lanes) {
        Set<Lane> served = new HashSet<>(lanes);
        served.removeIf(lane -> !filter.serves(lane));
        return served;
    }

    @Override
    public Optional<Duration> wakeInTurn(Set<Lane> lanes) {
        Set<Lane> served = served(lanes);
        if (!lanes.isEmpty() && served.isEmpty()) {
            return Optional.empty();
        }
        Optional<Duration> turn = lanes.isEmpty() ? Optional.of(Duration.ZERO) : turn(served, cursors.serverMicros());
        // A busy node asks these lanes too; an idle one does so when it is its turn.
        if (turn.filter(Duration::isZero).isPresent() || !cursors.idle()) {
            cursors.wake(served);
        } else {
            turn.ifPresent(pause -> cursors.wakeLater(served, pause));
        }
        return turn;
    }

    @Override
    public int peers() {
        return Math.max(1, probe.peers().size());
    }

    /** The limited queues that are not paused, as far as this session knows. */
    Set<String> limitedQueues() {
        return probe.limited();
    }

    /** Learns from another session which queues are paused and which are limited. */
    void learnQueues(PostgresClaimSession other) {
        probe.steered(other.probe.paused(), other.probe.limited());
    }

    /** Whether an exchange would ask the database for jobs. */
    boolean hasWork() {
        return !cursors.idle() || cursors.probeDue();
    }

    /** Whether jobs are known that may be claimed, or announced. */
    boolean mayHaveJobs() {
        return cursors.mayHaveJobs();
    }

    /** What the last exchange has learned about the limit of its queue; null if it did not try to claim. */
    @Nullable
    QueueRoom lastRoom() {
        return lastRoom;
    }

    @Override
    public Exchange exchange(List<Outcome> chunk, Want wanted) {
        lastRoom = null;
        int want = wanted.jobs();
        if (want <= 0) {
            return chunk.isEmpty() ? nothing() : writeOnly(chunk);
        }
        probeUnlessItFails(chunk);
        if (chunk.isEmpty() && !held.hasSettled() && cursors.idle()) {
            return new Exchange(List.of(), Set.of(), List.of(), true, knownDue(), Set.of(), Map.of(), probe.paused());
        }
        AtomicReference<@Nullable ExchangeTransaction> begun = new AtomicReference<>();
        ExchangeTransaction done;
        try {
            done = database.once(connection -> transact(connection, chunk, wanted, begun));
        } catch (SQLException e) {
            giveUp(begun.get());
            if (SqlStates.timedOut(e)) {
                leapOver(begun.get());
            }
            if (SqlStates.connectionLost(e) && !(e instanceof NotConnected)) {
                unacknowledged.mayExist();
            }
            if (chunk.isEmpty()) {
                throw DatabaseErrors.translate(e);
            }
            // A claim that fails must not undo outcomes, so these are written alone. The next exchange claims again,
            // and
            // reports the error if it persists.
            log.debug("claim failed, its outcomes are written without it", e);
            return writeOnly(chunk);
        } catch (RuntimeException | Error e) {
            giveUp(begun.get());
            unacknowledged.mayExist();
            throw e;
        }
        answers.incrementAndGet();
        record(done);
        boolean exhausted = done.result().sawAll() && !done.plan.partial();
        contention.exchanged(Math.max(done.claimed.size(), chunk.size()));
        boolean more = exhausted && done.claimed.isEmpty() && chunk.isEmpty() && probe.onSuspicion();
        // The claims are committed: a failure from here on must not lose them.
        WriteResult result = findRejectedOrRepeat(chunk, done.accepted);
        return new Exchange(
                done.claimed,
                result.rejected(),
                result.deferred(),
                exhausted && !more,
                sooner(sooner(done.nextDue, knownDue()), secondLook()),
                done.accepted.returnedLanes,
                done.accepted.returnedLater,
                done.accepted.refused,
                done.accepted.cancelled,
                done.paused);
    }

    /** The time until the next known job is due or the next probe. */
    Optional<Duration> knownDue() {
        long nanos = cursors.nanosUntilNext();
        return nanos < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /**
     * When to look again after a wake-up, in case its jobs became visible too late for the first look and a probe was not affordable. With
     * the default settings a regular poll comes first; with long intervals nobody else would look for a long time.
     */
    private Optional<Duration> secondLook() {
        long probe = cursors.nanosUntilWakesCanBeProbed();
        return probe < 0
                ? Optional.empty()
                : Optional.of(
                        Durations.longer(SECOND_LOOK.multipliedBy(Math.max(1, peers() / 2)), Duration.ofNanos(probe)));
    }

    static Optional<Duration> sooner(Optional<Duration> one, Optional<Duration> other) {
        return one.isPresent() && other.isPresent()
                ? one.get().compareTo(other.get()) < 0 ? one : other
                : one.or(() -> other);
    }

    @Override
    public long answers() {
        return answers.get() + probe.answers();
    }

    @Override
    public boolean probeBacklog() {
        return probe.ifDue();
    }

    @Override
    public void onProbe(ProbeListener listener) {
        probe.listener(listener);
    }

    @Override
    public void onSharedProbe(Runnable listener) {
        probe.onSharedProbe(listener);
    }

    @Override
    public Optional<Duration> untilKnownJobs() {
        return cursors.mayHaveJobs() ? Optional.of(Duration.ZERO) : knownDue();
    }

    /** Probes together with the other sessions that share this probe while all are idle. */
    void join(SharedProbe sharedProbe) {
        probe.join(sharedProbe);
    }

    /** Probes by itself from now on. */
    void leaveSharedProbe() {
        probe.leaveSharedProbe();
    }

    /** Like a failed claim, a failed probe must not keep outcomes from being written. */
    private void probeUnlessItFails(List<Outcome> chunk) {
        try {
            probeBacklog();
        } catch (MusterException e) {
            if (chunk.isEmpty()) {
                throw e;
            }
            log.debug("the backlog probe failed, the exchange continues without it", e);
        }
    }

    @Override
    public boolean contended() {
        return contention.isCrowded(probe.claimers());
    }

    @Override
    public boolean inDoubt() {
        return unacknowledged.isDue();
    }

    @Override
    public List<Recovered> releaseUnknown(Collection<ClaimRef> known) {
        long asked = clock.nanos();
        List<Recovered> released = database.inTransaction(connection -> {
            try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/requeue_unknown"))) {
                new Params(statement)
                        .text(filter.node())
                        .text(filter.node())
                        .longs(known.stream().mapToLong(ClaimRef::token).toArray());
                return RecoveredRows.read(statement.executeQuery());
            }
        });
        answers.incrementAndGet();
        unacknowledged.answered(asked);
        return released;
    }

    private Exchange nothing() {
        return new Exchange(
                List.of(), Set.of(), List.of(), false, Optional.empty(), Set.of(), Map.of(), probe.paused());
    }

    private Exchange writeOnly(List<Outcome> chunk) {
        Accepted accepted = outcomes.write(chunk);
        answers.incrementAndGet();
        WriteResult result = findRejected(chunk, accepted);
        return new Exchange(
                List.of(),
                result.rejected(),
                result.deferred(),
                false,
                Optional.empty(),
                accepted.returnedLanes,
                accepted.returnedLater,
                accepted.refused,
                accepted.cancelled,
                Set.of());
    }

    /** The transaction was rolled back, or may have been: its cursors go back, and its notes still have to be deleted. */
    private void giveUp(@Nullable ExchangeTransaction failed) {
        if (failed != null) {
            cursors.rolledBack(failed.plan);
            held.putBackSettled(failed.settled);
            held.forget(failed.claimed.stream().map(ClaimedJob::claim).toList());
        }
    }

    /** The scan took too long: the next one starts elsewhere, and probes walk over what this one met. */
    private void leapOver(@Nullable ExchangeTransaction failed) {
        if (failed != null) {
            scanLimit.scanTimedOut();
            cursors.leapOver(failed.plan);
        }
    }

    /** @param begun receives the transaction when it has begun, in case it fails */
    private ExchangeTransaction transact(
            Connection connection,
            List<Outcome> chunk,
            Want wanted,
            AtomicReference<@Nullable ExchangeTransaction> begun)
            throws SQLException {
        int wakes = cursors.wakes();
        ScanPlan plan = cursors.plan(cursors.nextReach(), wakes);
        QueueRoom room =
                limitedQueue == null ? null : new QueueRoom(limitedQueue, held.notesSeen(limitedQueue), wanted.free());
        ExchangeTransaction transaction = new ExchangeTransaction(
                database, held, features, new Claiming(filter, plan, wanted, room, this), clock);
        begun.set(transaction);
        try {
            transaction.run(connection, chunk, scanLimit.atMost(wanted.jobs()));
            scanLimit.scanned(transaction.scanNanos);
            return transaction;
        } catch (SQLException e) {
            if (SqlStates.timedOut(e)) {
                // A scan that took too long must not be repeated at once.
                cursors.scanned(plan.reach(), wakes, transaction.scanNanos);
            }
            throw e;
        }
    }

    private void record(ExchangeTransaction done) {
        cursors.server(new ServerTime(done.walTimeline, done.clockMicros, done.begunNanos, clock.nanos()));
        cursors.scanned(done.plan.reach(), done.plan.wakes(), done.scanNanos);
        cursors.met(done.plan, done.xmaxSet);
        cursors.claimed(done.plan, done.result(), done.clockMicros, done.alone);
        probe.steered(done.paused, done.limited);
        if (done.room != null && done.claims()) {
            lastRoom = done.room;
            held.notesSeen(done.room.queue(), done.room.nextSeen(done.walTimeline));
        }
    }

    private WriteResult findRejectedOrRepeat(List<Outcome> chunk, Accepted accepted) {
        try {
            return findRejected(chunk, accepted);
        } catch (MusterException e) {
            log.debug("not known what became of some outcomes: they are sent again", e);
            return settled(chunk, OutcomeWriter.again(chunk, accepted));
        }
    }

    private WriteResult findRejected(List<Outcome> chunk, Accepted accepted) {
        return settled(chunk, outcomes.findRejected(chunk, accepted));
    }

    private WriteResult settled(List<Outcome> chunk, WriteResult result) {
        Set<Outcome> deferred = new HashSet<>(result.deferred());
        for (Outcome outcome : chunk) {
            if (!deferred.contains(outcome)) {
                held.closed(outcome.claim());
            }
        }
        return result;
    }
}
