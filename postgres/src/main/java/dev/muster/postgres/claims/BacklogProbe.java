package dev.muster.postgres.claims;

import dev.muster.job.Lane;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession.ProbeListener;
import dev.muster.postgres.claims.ProbeCompany.Begun;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.DatabaseErrors;
import dev.muster.postgres.db.Params;
import dev.muster.postgres.db.SqlStates;
import dev.muster.postgres.db.Statements;
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
    private final ClaimScope scope;
    private final Clock clock;
    private final boolean leavesOutLimited;
    private volatile Set<String> paused = Set.of();
    private volatile Set<String> limited = Set.of();
    private volatile int claimers;
    private volatile List<String> peers = List.of();
    private volatile @Nullable ProbeListener listener;
    private final AtomicLong answers = new AtomicLong();
    private volatile @Nullable ProbeCompany company;
    private volatile Runnable onSharedProbe = () -> {};

    /** @param leavesOutLimited whether the claims leave out limited queues */
    BacklogProbe(Database database, ClaimCursors cursors, ClaimScope scope, boolean leavesOutLimited, Clock clock) {
        this.database = database;
        this.leavesOutLimited = leavesOutLimited;
        this.cursors = cursors;
        this.scope = scope;
        this.clock = clock;
    }

    void listener(ProbeListener told) {
        listener = told;
    }

    /** This session and the others in this company probe together while they are idle. */
    void join(ProbeCompany others) {
        company = others;
        others.join(this);
    }

    /** This session probes by itself from now on. */
    void leaveCompany() {
        ProbeCompany left = company;
        company = null;
        if (left != null) {
            left.leave(this);
        }
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
        if (leavesOutLimited && !nowLimited.isEmpty()) {
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
        ProbeCompany with = company;
        if (with == null || !cursors.idle()) {
            return madeAlone(plan);
        }
        List<Begun> others = with.beginWith(this);
        return others.isEmpty() ? madeAlone(plan) : madeFor(with, others, plan);
    }

    /** Makes one probe for several sessions. If it finds jobs, it does not know for which session, so each of them probes by itself. */
    private boolean madeFor(ProbeCompany with, List<Begun> others, ProbePlan plan) {
        List<Begun> all = new ArrayList<>(others);
        all.add(new Begun(this, plan));
        Answer answer = ask(ProbePlan.together(all.stream().map(Begun::plan).toList()), names(all), all);
        if (!answer.seen().foundNothing()) {
            with.foundJob();
            for (Begun other : others) {
                other.probe().cursors.probeNotMade();
                other.probe().onSharedProbe.run();
            }
            return madeAlone(plan);
        }
        for (Begun other : others) {
            other.probe().covered(other.plan(), this, answer);
        }
        return learned(plan, answer);
    }

    /** The names of all these sessions; null if one of them claims jobs of any name. */
    private static @Nullable Set<String> names(List<Begun> all) {
        Set<String> names = new HashSet<>();
        for (Begun one : all) {
            Set<String> own = one.probe().scope.names();
            if (own == null) {
                return null;
            }
            names.addAll(own);
        }
        return names;
    }

    /** The probe of another session has covered this one, and found nothing for either. */
    private void covered(ProbePlan plan, BacklogProbe by, Answer answer) {
        claimers = by.claimers;
        peers = by.peers;
        steered(by.paused, by.limited);
        cursors.probed(plan, answer.seen(), answer.nanos());
        onSharedProbe.run();
    }

    private boolean madeAlone(ProbePlan plan) {
        return learned(plan, ask(plan, scope.names(), List.of(new Begun(this, plan))));
    }

    private boolean learned(ProbePlan plan, Answer answer) {
        boolean found = cursors.probed(plan, answer.seen(), answer.nanos());
        ProbeListener told = listener;
        if (told != null) {
            told.probed(answer.nanos(), found);
        }
        return found;
    }

    /** @param nanos how long the database took */
    private record Answer(ProbeResult seen, long nanos) {}

    /** @param asking the sessions for which the database is asked; they are told if it fails */
    private Answer ask(ProbePlan plan, @Nullable Set<String> names, List<Begun> asking) {
        // The wait for a connection is not part of a probe's cost.
        AtomicLong begun = new AtomicLong(clock.nanos());
        ProbeResult seen;
        try {
            // Only a transaction has a time limit, but it takes three more statements.
            seen = plan.limited()
                    ? database.once(connection -> {
                        begun.set(clock.nanos());
                        database.applySettings(connection);
                        return run(connection, plan, names);
                    })
                    : database.statement(connection -> {
                        begun.set(clock.nanos());
                        return run(connection, plan, names);
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
                scope.node(),
                what,
                TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - start));
    }

    private ProbeResult run(Connection connection, ProbePlan plan, @Nullable Set<String> names) throws SQLException {
        long start = clock.nanos();
        Map<String, List<FoundJob>> hits = new HashMap<>();
        Set<String> nowPaused = new HashSet<>();
        Set<String> nowLimited = new HashSet<>();
        OptionalLong beyond = OptionalLong.empty();
        ProbeResult seen = null;
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/probe_backlog"))) {
            new Params(statement)
                    .text(scope.node())
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
                        if (scope.serves(lane)) {
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
