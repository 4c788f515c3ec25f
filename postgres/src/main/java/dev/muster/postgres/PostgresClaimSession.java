package dev.muster.postgres;

import dev.muster.job.ClaimRef;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimSession;
import dev.muster.job.ClaimedJob;
import dev.muster.job.Lane;
import dev.muster.job.Outcome;
import dev.muster.postgres.Cursors.Hit;
import dev.muster.postgres.Cursors.Plan;
import dev.muster.postgres.Cursors.Reach;
import dev.muster.postgres.Database.NotConnected;
import dev.muster.postgres.HeldClaims.Batch;
import dev.muster.postgres.OutcomeWriter.Verdict;
import dev.muster.postgres.Outcomes.Accepted;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The hot path: outcomes out and claims in, in one transaction and one round trip plus the commit. */
final class PostgresClaimSession implements ClaimSession {
    private static final Logger log = LoggerFactory.getLogger(PostgresClaimSession.class);
    private static final long MICROS_TO_2000 = 946_684_800_000_000L;

    private final Database database;
    private final ClaimScope scope;
    private final Cursors cursors;
    private final Looks looks;
    private final Crowd crowd;
    private final Clock clock;
    private final OutcomeWriter outcomes;
    private final HeldClaims held;
    private volatile boolean doubt;

    PostgresClaimSession(Database database, PostgresJobStore store, HeldClaims held, ClaimScope scope, Clock clock) {
        this.database = database;
        this.held = held;
        this.scope = scope;
        this.clock = clock;
        this.cursors = new Cursors(clock);
        this.looks = new Looks(database, cursors, scope, clock);
        this.crowd = new Crowd(clock);
        this.outcomes = new OutcomeWriter(database, store);
        cursors.wake(Set.of());
    }

    @Override
    public void wake(Set<Lane> lanes) {
        Set<Lane> served = new HashSet<>(lanes);
        served.removeIf(lane -> !scope.serves(lane));
        if (lanes.isEmpty() || !served.isEmpty()) {
            cursors.wake(served);
        }
    }

    @Override
    public Exchange exchange(List<Outcome> batch, int want, boolean alone) {
        if (want <= 0) {
            return writeOnly(batch);
        }
        lookUnlessItFails(batch);
        if (batch.isEmpty() && !held.anyOver() && cursors.idle()) {
            return new Exchange(List.of(), Set.of(), List.of(), true, Optional.empty(), Set.of(), looks.paused());
        }
        AtomicReference<@Nullable Step> begun = new AtomicReference<>();
        Step step;
        try {
            step = database.once(connection -> step(connection, batch, want, alone, begun));
        } catch (SQLException e) {
            giveUp(begun.get());
            doubt |= Database.connectionLost(e) && !(e instanceof NotConnected);
            if (batch.isEmpty()) {
                throw Database.translate(e);
            }
            // Never let a claim that fails undo outcomes: write those alone. The next exchange claims again, and says
            // what is wrong if it still is.
            log.debug("claim failed, its outcomes are written without it", e);
            return writeOnly(batch);
        } catch (RuntimeException | Error e) {
            giveUp(begun.get());
            throw e;
        }
        boolean exhausted = step.claimed.size() < want;
        record(step, exhausted);
        crowd.exchanged(Math.max(step.claimed.size(), batch.size()));
        boolean more = exhausted && step.claimed.isEmpty() && batch.isEmpty() && looks.onSuspicion();
        // The claims are committed: whatever fails from here on must not lose them.
        Verdict verdict = judgeOrAgain(batch, step.accepted);
        return new Exchange(
                step.claimed,
                verdict.rejected(),
                verdict.deferred(),
                exhausted && !more,
                step.nextDue,
                step.accepted.returnedLanes,
                step.paused);
    }

    @Override
    public boolean look() {
        return looks.ifDue();
    }

    /** Like a claim that fails, it must not keep outcomes from being written. */
    private void lookUnlessItFails(List<Outcome> batch) {
        try {
            look();
        } catch (MusterException e) {
            if (batch.isEmpty()) {
                throw e;
            }
            log.debug("a look failed, the exchange goes on without it", e);
        }
    }

    @Override
    public boolean crowded() {
        return crowd.isCrowded(looks.claimers());
    }

    @Override
    public boolean inDoubt() {
        return doubt;
    }

    @Override
    public Set<Lane> releaseUnknown(Collection<ClaimRef> known) {
        Set<Lane> lanes = database.inTransaction(connection -> {
            Set<Lane> back = new HashSet<>();
            try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/release_unknown"))) {
                new Params(statement)
                        .text(scope.node())
                        .text(scope.node())
                        .longs(known.stream().mapToLong(ClaimRef::token).toArray());
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    back.add(new Lane(rows.getString(1), rows.getString(2)));
                }
            }
            return back;
        });
        doubt = false;
        return lanes;
    }

    private Exchange writeOnly(List<Outcome> batch) {
        Accepted accepted = outcomes.write(batch);
        Verdict verdict = judge(batch, accepted);
        return new Exchange(
                List.of(),
                verdict.rejected(),
                verdict.deferred(),
                false,
                Optional.empty(),
                accepted.returnedLanes,
                Set.of());
    }

    /** What one transaction saw; cursors move only after it has committed. */
    private static final class Step {
        final Accepted accepted = new Accepted();
        final List<ClaimedJob> claimed = new ArrayList<>();
        final List<Hit> hits = new ArrayList<>();
        final Plan plan;
        final boolean alone;
        long clockMicros;
        long timeline;
        Set<String> paused = Set.of();

        /** Whether some row bore the mark of a lock that had been given up. */
        boolean marked;

        long startNanos;
        long scanNanos;
        Optional<Duration> nextDue = Optional.empty();

        /** Batches whose notes go. */
        final List<Batch> over;

        Step(Plan plan, boolean alone, List<Batch> over) {
            this.plan = plan;
            this.alone = alone;
            this.over = over;
        }
    }

    /** It was rolled back, or perhaps: whatever it had passed by or was to forget is still to be done. */
    private void giveUp(@Nullable Step step) {
        if (step != null) {
            cursors.rolledBack(step.plan);
            held.stillOver(step.over);
        }
    }

    /** @param begun is told what has been begun, in case that it fails */
    private Step step(
            Connection connection, List<Outcome> batch, int want, boolean alone, AtomicReference<@Nullable Step> begun)
            throws SQLException {
        long start = clock.nanos();
        int wakes = cursors.wakes();
        Reach reach = cursors.nextReach();
        try {
            Step step = new Step(cursors.plan(reach, wakes), alone, held.takeOver());
            begun.set(step);
            step.startNanos = start;
            send(step, connection, batch, want);
            step.scanNanos = clock.nanos() - start;
            if (step.plan.ranks().length > 0 && step.claimed.size() < want) {
                step.nextDue = nextDue(connection, step.plan);
            }
            return step;
        } catch (SQLException e) {
            if (OutcomeWriter.TIMED_OUT.equals(e.getSQLState())) {
                // A scan that took too long must not be the first thing that is tried again.
                cursors.scanned(reach, wakes, clock.nanos() - start);
            }
            throw e;
        }
    }

    private void send(Step step, Connection connection, List<Outcome> batch, int want) throws SQLException {
        Outcomes parts = new Outcomes(batch);
        long[] known = held.places(parts.ending());
        boolean scan = step.plan.ranks().length > 0;
        String finish = known == null ? "jobs/finish" : "jobs/finish_placed";
        String text = database.sql("jobs/preamble")
                + (parts.hasEnding() ? ";" + database.sql(finish) : "")
                + (parts.hasReturning() ? ";" + database.sql("jobs/hand_back") : "")
                + (step.over.isEmpty() ? "" : ";" + database.sql("jobs/settle"))
                + (scan ? ";" + database.sql("jobs/claim") : "");
        try (PreparedStatement statement = Database.prepare(connection, text)) {
            Params params = new Params(statement);
            if (known != null) {
                params.places(known);
            }
            if (parts.hasEnding()) {
                parts.bindEnding(params);
            }
            if (parts.hasReturning()) {
                parts.bindReturning(params);
            }
            if (!step.over.isEmpty()) {
                params.longs(step.over.stream().mapToLong(over -> over.number).toArray())
                        .uuids(step.over.stream()
                                .map(over -> over.witness.value())
                                .toList())
                        .text(scope.node());
            }
            if (scan) {
                bindClaim(params, step.plan, want, step.alone);
            }
            statement.execute();
            readPreamble(statement.getResultSet(), step);
            Outcomes.Answer answer = parts.new Answer();
            int ended = 0;
            if (parts.hasEnding()) {
                statement.getMoreResults();
                ended = statement.getUpdateCount();
            }
            if (parts.hasReturning()) {
                answer.returned(next(statement));
            }
            if (!step.over.isEmpty()) {
                statement.getMoreResults();
            }
            if (scan) {
                readClaimed(next(statement), step);
                inOrder(step);
            }
            if (known != null && ended < parts.ending().size()) {
                ended += finishById(connection, parts);
            }
            answer.ended(ended);
            step.accepted.add(answer);
        }
    }

    /** Ends what was not found in its place; the others are gone by now. */
    private int finishById(Connection connection, Outcomes parts) throws SQLException {
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/finish"))) {
            parts.bindEnding(new Params(statement));
            return statement.executeUpdate();
        }
    }

    private void bindClaim(Params params, Plan plan, int want, boolean alone) throws SQLException {
        params.flag(!plan.trusting())
                .shorts(plan.ranks())
                .texts(plan.queues())
                .texts(plan.capabilities())
                .longs(plan.starts())
                .texts(scope.names())
                .texts(scope.names())
                .flag(alone)
                .number(want)
                .number(want)
                .text(scope.node())
                .number(scope.lease().toMillis());
    }

    private static ResultSet next(PreparedStatement statement) throws SQLException {
        if (!statement.getMoreResults()) {
            throw new SQLException("a statement of the exchange returned no rows");
        }
        return statement.getResultSet();
    }

    private static void readPreamble(ResultSet rows, Step step) throws SQLException {
        rows.next();
        step.clockMicros = rows.getLong("clock_micros");
        step.timeline = Long.parseLong(rows.getString("timeline"), 16);
        step.paused = Set.of((String[]) rows.getArray("paused").getArray());
    }

    private void readClaimed(ResultSet rows, Step step) throws SQLException {
        Lane lane = new Lane("", "");
        Batch batch = null;
        while (rows.next()) {
            lane = lane(lane, rows.getString(4), rows.getString(5));
            step.hits.add(new Hit(lane, rows.getInt(6), micros(rows.getBytes(7))));
            ClaimRef claim = Outcomes.claim(rows);
            if (batch == null) {
                batch = new Batch(rows.getLong(17), claim.id());
                step.marked = rows.getBoolean(18);
            }
            held.remember(claim, TidArray.read(rows.getBytes(16)), batch);
            step.claimed.add(new ClaimedJob(
                    claim,
                    step.timeline,
                    rows.getString(3),
                    lane,
                    rows.getInt(8),
                    nullableInt(rows, 9),
                    nullableInt(rows, 10),
                    rows.getInt(11),
                    rows.getBoolean(12),
                    nullableMillis(rows, 13),
                    rows.getString(14),
                    rows.getString(15)));
        }
    }

    /** Neighbours share their lane as a rule: then they share its object, and the hash codes of its texts. */
    private static Lane lane(Lane last, String queue, String capability) {
        return last.queue().equals(queue) && last.capability().equals(capability) ? last : new Lane(queue, capability);
    }

    /** PostgreSQL sends times as microseconds since 2000. */
    private static long micros(byte[] sent) {
        return ByteBuffer.wrap(sent).getLong() + MICROS_TO_2000;
    }

    private static @Nullable Integer nullableInt(ResultSet rows, int column) throws SQLException {
        int value = rows.getInt(column);
        return rows.wasNull() ? null : value;
    }

    private static @Nullable Duration nullableMillis(ResultSet rows, int column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : Duration.ofMillis(value);
    }

    /** The update returns rows by their place; jobs run by rank, then by the time they became ready. */
    private static void inOrder(Step step) {
        if (isInOrder(step.hits)) {
            return;
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < step.hits.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.<Integer>comparingInt(i -> -step.hits.get(i).rank())
                .thenComparingLong(i -> step.hits.get(i).readyMicros()));
        List<ClaimedJob> sorted = order.stream().map(step.claimed::get).toList();
        step.claimed.clear();
        step.claimed.addAll(sorted);
    }

    private static boolean isInOrder(List<Hit> hits) {
        for (int i = 1; i < hits.size(); i++) {
            Hit before = hits.get(i - 1);
            Hit hit = hits.get(i);
            if (before.rank() < hit.rank() || before.rank() == hit.rank() && before.readyMicros() > hit.readyMicros()) {
                return false;
            }
        }
        return true;
    }

    private void record(Step step, boolean exhausted) {
        cursors.server(new ServerTime(step.timeline, step.clockMicros, step.startNanos, clock.nanos()));
        cursors.scanned(step.plan.reach(), step.plan.wakes(), step.scanNanos);
        cursors.met(step.plan, step.marked);
        if (exhausted) {
            cursors.exhausted(step.plan, step.hits, step.clockMicros, step.alone);
        } else {
            cursors.claimed(step.plan, step.hits, step.clockMicros, step.alone);
        }
        cursors.paused(step.paused);
    }

    private Verdict judgeOrAgain(List<Outcome> batch, Accepted accepted) {
        try {
            return judge(batch, accepted);
        } catch (MusterException e) {
            log.debug("not known what became of some outcomes: they are sent again", e);
            Verdict again = accepted.again(batch);
            settle(batch, again);
            return again;
        }
    }

    private Verdict judge(List<Outcome> batch, Accepted accepted) {
        Verdict verdict = outcomes.judge(batch, accepted);
        settle(batch, verdict);
        return verdict;
    }

    private void settle(List<Outcome> batch, Verdict verdict) {
        Set<Outcome> deferred = new HashSet<>(verdict.deferred());
        for (Outcome outcome : batch) {
            if (!deferred.contains(outcome)) {
                held.settled(outcome.claim());
            }
        }
    }

    private Optional<Duration> nextDue(Connection connection, Plan plan) throws SQLException {
        try (PreparedStatement statement = Database.prepare(connection, database.sql("jobs/next_due"))) {
            new Params(statement).shorts(plan.ranks()).texts(plan.queues()).texts(plan.capabilities());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                long millis = rows.getLong(1);
                return rows.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
            }
        }
    }
}
