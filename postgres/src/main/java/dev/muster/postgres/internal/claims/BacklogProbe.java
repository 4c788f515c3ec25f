package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession.ProbeListener;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.SharedProbe.Begun;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.runtime.Clock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds jobs that claims would miss: jobs behind the cursors, and jobs in new lanes. A probe is one statement that locks and
 * changes nothing; an idle node sends nothing else.
 */
public final class BacklogProbe {
    private static final Logger log = LoggerFactory.getLogger(BacklogProbe.class);
    private static final long WORTH_A_WARNING = TimeUnit.SECONDS.toNanos(5);

    private final Database database;
    private final ClaimCursors cursors;
    private final ClaimFilter filter;
    private final Clock clock;
    private final @Nullable String limitedQueue;
    private volatile Set<String> paused = Set.of();
    private volatile Set<String> limited = Set.of();
    private volatile int claimers;
    private volatile List<String> peers = List.of();
    private volatile @Nullable ProbeListener listener;
    private final AtomicLong answers = new AtomicLong();
    private volatile SharedProbe sharedProbe;
    private volatile Runnable onSharedProbe = () -> {};

    /** @param limitedQueue the queue that the claims are for; null if they leave out limited queues */
    BacklogProbe(
            Database database, ClaimCursors cursors, ClaimFilter filter, @Nullable String limitedQueue, Clock clock) {
        this.database = database;
        this.limitedQueue = limitedQueue;
        this.cursors = cursors;
        this.filter = filter;
        this.clock = clock;
        this.sharedProbe = new SharedProbe(clock);
    }

    void listener(ProbeListener told) {
        listener = told;
    }

    /** This session and the others that share this probe ask together while they are idle. */
    void join(SharedProbe others) {
        sharedProbe = others;
        others.join(this);
    }

    /** This session probes by itself from now on. */
    void leaveSharedProbe() {
        SharedProbe left = sharedProbe;
        sharedProbe = new SharedProbe(clock);
        left.leave(this);
    }

    /** Whether both claim the same jobs, but for their queues. */
    boolean isOfSameExecutor(BacklogProbe other) {
        return Objects.equals(filter.names(), other.filter.names());
    }

    /** Whether this session leaves out the queue from which the other one claims, and would claim the same jobs from it. */
    boolean leavesQueueTo(BacklogProbe other) {
        return limitedQueue == null && other.limitedQueue != null && isOfSameExecutor(other);
    }

    /** Tells, from now on, when another session has probed for this one. */
    void onSharedProbe(Runnable listener) {
        onSharedProbe = listener;
    }

    /** Begins a probe that another session makes, if this session is idle. */
    Optional<ProbePlan> beginIfIdle() {
        return cursors.planProbeIfIdle();
    }

    /** The queues that were paused when this was last read. */
    Set<String> paused() {
        return paused;
    }

    /** The limited queues that were not paused when this was last read. */
    Set<String> limited() {
        return limited;
    }

    /** Which queues are paused, and which are limited and not paused. */
    void steered(Set<String> nowPaused, Set<String> nowLimited) {
        paused = nowPaused;
        limited = nowLimited;
        if (limitedQueue == null && !nowLimited.isEmpty()) {
            Set<String> leftOut = new HashSet<>(nowPaused);
            leftOut.addAll(nowLimited);
            cursors.leftOut(leftOut);
        } else {
            cursors.leftOut(nowPaused);
        }
    }

    /** How many nodes held claims at the last probe. */
    int claimers() {
        return claimers;
    }

    /** The nodes that would claim the same jobs as this one and held no claims at the last probe. */
    List<String> peers() {
        return peers;
    }

    /** How many probes the database has answered. */
    long answers() {
        return answers.get();
    }

    boolean ifDue() {
        return probeIf(cursors::probeDue);
    }

    /** Probes after a claim that found nothing although a wake-up had announced jobs. Returns whether there are any. */
    boolean onSuspicion() {
        return probeIf(cursors::probeAffordable);
    }

    /** Probes if the condition holds. Of two threads at the same time, only one probes. */
    private boolean probeIf(BooleanSupplier condition) {
        ProbePlan plan;
        synchronized (cursors) {
            if (!condition.getAsBoolean()) {
                return false;
            }
            plan = cursors.planProbe();
        }
        return made(plan);
    }

    private boolean made(ProbePlan plan) {
        SharedProbe with = sharedProbe;
        List<Begun> own = new ArrayList<>(with.beginWithOwn(this));
        own.add(new Begun(this, plan));
        List<Begun> others = cursors.idle() ? with.beginWithOthers(this) : List.of();
        if (!others.isEmpty()) {
            List<Begun> all = new ArrayList<>(own);
            all.addAll(others);
            Answer answer = ask(all);
            if (answer.seen().foundNothing()) {
                return learned(all, answer);
            }
            with.foundJob();
            others.forEach(other -> other.probe().leftToItself());
        }
        return learned(own, ask(own));
    }

    /** A probe for several executors has found jobs and does not know for which of them. */
    private void leftToItself() {
        cursors.probeNotMade();
        tellOfSharedProbe();
    }

    /** An executor is told once, not for each of its sessions. */
    private void tellOfSharedProbe() {
        if (limitedQueue == null) {
            onSharedProbe.run();
        }
    }

    /** All these sessions learn from one probe. Returns whether it has seen anything new for the executor of this one. */
    private boolean learned(List<Begun> all, Answer answer) {
        boolean found = false;
        for (Begun one : all) {
            BacklogProbe probe = one.probe();
            if (probe != this) {
                probe.claimers = claimers;
                probe.peers = peers;
                probe.steered(paused, limited);
            }
            boolean news = probe.cursors.probed(one.plan(), answer.seen().within(probe.filter), answer.nanos());
            if (probe.isOfSameExecutor(this)) {
                found |= news;
            } else {
                probe.tellOfSharedProbe();
            }
        }
        ProbeListener told = listener;
        if (told != null) {
            told.probed(answer.nanos(), found);
        }
        return found;
    }

    /** The names of all these sessions; null if one of them claims jobs of any name. */
    private static @Nullable Set<String> names(List<Begun> all) {
        Set<String> names = new HashSet<>();
        for (Begun one : all) {
            Set<String> own = one.probe().filter.names();
            if (own == null) {
                return null;
            }
            names.addAll(own);
        }
        return names;
    }

    /** @param nanos how long the database took */
    private record Answer(ProbeResult seen, long nanos) {}

    /** @param asking the sessions for which the database is asked; they are told if it fails */
    private Answer ask(List<Begun> asking) {
        ProbePlan plan = asking.size() == 1 ? asking.get(0).plan() : Begun.together(asking);
        Set<String> names = names(asking);
        // The wait for a connection is not part of a probe's cost.
        AtomicLong begun = new AtomicLong(clock.nanos());
        ProbeResult seen;
        try {
            // Only a transaction has a time limit, but it takes three more statements.
            seen = plan.limited()
                    ? database.once(connection -> {
                        begun.set(clock.nanos());
                        database.applySettings(connection);
                        return run(connection, plan, names, asking);
                    })
                    : database.statement(connection -> {
                        begun.set(clock.nanos());
                        return run(connection, plan, names, asking);
                    });
        } catch (SQLException e) {
            boolean timedOut = SqlStates.timedOut(e);
            failed(asking, clock.nanos() - begun.get(), timedOut);
            if (timedOut) {
                warn(begun.get(), "was given up");
            }
            throw DatabaseErrors.translate(e);
        } catch (RuntimeException | Error e) {
            failed(asking, clock.nanos() - begun.get(), false);
            throw e;
        }
        answers.incrementAndGet();
        long took = clock.nanos() - begun.get();
        if (took > WORTH_A_WARNING) {
            warn(begun.get(), "took long");
        }
        return new Answer(seen, took);
    }

    private static void failed(List<Begun> asking, long nanos, boolean timedOut) {
        asking.forEach(one -> one.probe().cursors.probeFailed(one.plan(), nanos, timedOut));
    }

    private void warn(long start, String what) {
        log.warn(
                "node={} the search for jobs that claims have missed {} after {} s. Are there many dead rows in muster_jobs? An"
                        + " older open transaction keeps them from being removed: see backend_xmin in pg_stat_activity",
                filter.node(),
                what,
                TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - start));
    }

    private ProbeResult run(Connection connection, ProbePlan plan, @Nullable Set<String> names, List<Begun> asking)
            throws SQLException {
        long start = clock.nanos();
        Map<String, List<FoundJob>> hits = new HashMap<>();
        Set<String> nowPaused = new HashSet<>();
        Set<String> nowLimited = new HashSet<>();
        OptionalLong beyond = OptionalLong.empty();
        ProbeResult seen = null;
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/call_probe_backlog"))) {
            new Params(statement)
                    .text(filter.node())
                    .shorts(plan.ranks())
                    .texts(plan.queues())
                    .texts(plan.capabilities())
                    .longs(plan.floors())
                    .texts(names)
                    .flag(plan.numbered())
                    .number(plan.walk());
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                String kind = rows.getString(1);
                switch (kind) {
                    case "paused" -> nowPaused.add(rows.getString(2));
                    case "limited" -> nowLimited.add(rows.getString(2));
                    case "beyond" -> beyond = OptionalLong.of(rows.getLong(5));
                    case "clock" -> seen = seen(rows, plan, hits, beyond, start);
                    default -> {
                        Lane lane = new Lane(rows.getString(2), rows.getString(3));
                        if (asking.stream().anyMatch(one -> one.probe().filter.serves(lane))) {
                            hits.computeIfAbsent(kind, k -> new ArrayList<>())
                                    .add(new FoundJob(lane, rows.getInt(4), rows.getLong(5)));
                        }
                    }
                }
            }
        }
        if (seen == null) {
            throw new SQLException("the backlog probe returned no clock");
        }
        steered(Set.copyOf(nowPaused), Set.copyOf(nowLimited));
        return seen;
    }

    private ProbeResult seen(
            ResultSet clockRow, ProbePlan plan, Map<String, List<FoundJob>> hits, OptionalLong beyond, long start)
            throws SQLException {
        claimers = clockRow.getInt(9);
        peers = List.of((String[]) clockRow.getArray(10).getArray());
        long number = clockRow.getLong(7);
        return new ProbeResult(
                hits.getOrDefault("first", List.of()),
                hits.getOrDefault("walked", List.of()),
                hits.getOrDefault("other", List.of()),
                beyond,
                new ServerTime(Long.parseLong(clockRow.getString(8), 16), clockRow.getLong(5), start, clock.nanos()),
                clockRow.getInt(11),
                clockRow.getLong(6),
                plan.numbered() ? OptionalLong.of(number) : OptionalLong.empty());
    }
}
