package dev.muster.internal.daemon;

import dev.muster.internal.daemon.DaemonRun.Ending;
import dev.muster.internal.daemon.DaemonStore.Claim;
import dev.muster.internal.daemon.DaemonStore.Holder;
import dev.muster.internal.daemon.DaemonStore.Ref;
import dev.muster.internal.daemon.DaemonStore.Survey;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.ConnectionSource;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.Loop;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs this node's share of the daemons: claims, starts, renews, restarts and releases them. */
public final class DaemonKeeper implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(DaemonKeeper.class);
    private static final Duration SLOW_SURVEY = Duration.ofSeconds(30);

    /** When to survey again if heartbeats fail: a daemon claimed meanwhile would have to stop at once. */
    private static final Duration SURVEY_AFTER_HEARTBEAT = Duration.ofSeconds(1);

    private static final long LAST_STATEMENTS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final DaemonStore store;
    private final Map<String, DaemonHandler> handlers;
    private final Supplier<Holder> self;
    private final ConnectionSource connections;
    private final Runnable changed;
    private final Runnable taken;
    private final LongSupplier aliveUntil;
    private final Times times;
    private final TelemetryListeners telemetry;
    private final Clock clock;
    private final Map<String, DaemonRun> runs = new ConcurrentHashMap<>();
    private final Loop loop = new Loop("daemons", this::step);
    private final Loop deadlines = new Loop("daemon-deadlines", this::checkLeases);
    private volatile boolean draining;
    private volatile boolean suspended;
    private long drainingSince;
    private volatile boolean surveyNow = true;
    private boolean started;
    private @Nullable Holder declared;

    private long renewAt;
    private long surveyAt;
    private final Moves moves;

    /**
     * @param lease how long a node holds a daemon without renewing it
     * @param stop how long before its node can be declared dead a daemon is interrupted, so that it has ended by then
     * @param drain how long daemons may take to stop when their node stops
     */
    public record Times(Duration lease, Duration renew, Duration stop, Duration drain) {}

    /**
     * The node that the daemons run on.
     *
     * @param self the node with its current incarnation
     * @param aliveUntil the time before which no other node declares this one dead and takes its daemons
     * @param changed tells the other nodes that a daemon is free, or that this node can take some
     * @param taken called when this node has claimed a daemon
     */
    public record Host(Supplier<Holder> self, LongSupplier aliveUntil, Runnable changed, Runnable taken) {}

    public DaemonKeeper(
            DaemonStore store,
            Collection<DaemonHandler> handlers,
            Host host,
            ConnectionSource connections,
            Times times,
            TelemetryListeners telemetry,
            Clock clock) {
        this.store = store;
        this.handlers = handlers.stream().collect(Collectors.toMap(DaemonHandler::name, Function.identity(), (a, b) -> {
            throw new MusterException("two daemons are registered as '" + a.name() + "'");
        }));
        this.self = host.self();
        this.connections = connections;
        this.changed = host.changed();
        this.taken = host.taken();
        this.aliveUntil = host.aliveUntil();
        this.times = times;
        this.telemetry = telemetry;
        this.clock = clock;
        this.renewAt = clock.nanos();
        this.surveyAt = renewAt;
        this.moves = new Moves(times.renew(), renewAt);
    }

    @Override
    public String name() {
        return "daemons";
    }

    @Override
    public Phase phase() {
        return Phase.WORK;
    }

    @Override
    public synchronized void start() {
        started = true;
        loop.start();
        deadlines.start();
    }

    /** Surveys the daemons at once, because daemons or nodes have come or gone. */
    public void wake() {
        surveyNow = true;
        loop.wake();
    }

    @Override
    public boolean holdsWork() {
        return !runs.isEmpty();
    }

    @Override
    public Health health() {
        return loop.health();
    }

    private Duration step() {
        declare();
        renew();
        for (DaemonRun run : runs.values()) {
            settleOrReport(run);
        }
        surveyIfDue();
        return untilNext();
    }

    private void declare() {
        Holder now = self.get();
        if (draining || suspended || now.equals(declared)) {
            return;
        }
        Map<Boolean, List<String>> names = handlers.values().stream()
                .collect(Collectors.partitioningBy(
                        DaemonHandler::perNode, Collectors.mapping(DaemonHandler::name, Collectors.toList())));
        store.declare(now, names.get(false), names.get(true));
        declared = now;
        changed.run();
    }

    /** A daemon that cannot be handled now must not keep the others from being renewed. */
    private void settleOrReport(DaemonRun run) {
        try {
            recordEnd(run);
        } catch (DatabaseUnavailable e) {
            throw e;
        } catch (RuntimeException | Error e) {
            log.warn("daemon={} could not be restarted or released, will try again", run.name(), e);
        }
    }

    /** Releases, restarts or forgets a daemon whose run, or whose wait for a restart, has ended. */
    private void recordEnd(DaemonRun run) {
        Ending ending = run.ending();
        if (run.isRunning() || ending == null) {
            return;
        }
        if (run.isLost()) {
            runs.remove(run.name());
            surveyNow = true;
        } else if (run.isShutdown()) {
            store.release(run.ref(), run.restarts());
            runs.remove(run.name());
            changed.run();
        } else if (run.restartAt() == 0) {
            ended(run, ending);
        } else if (run.restartAt() - clock.nanos() <= 0) {
            start(run);
        }
    }

    private void start(DaemonRun run) {
        if (!store.running(run.ref(), run.restarts())) {
            log.warn("daemon={} now belongs to another node; it is not restarted here", run.name());
            run.lose();
            runs.remove(run.name());
            surveyNow = true;
            return;
        }
        run.restartAt(0, run.restarts());
        run.start(clock.nanos());
        if (run.isLost()) {
            // The lease was lost during the start, when there was no thread to interrupt yet.
            run.lose();
        }
    }

    private void ended(DaemonRun run, Ending ending) {
        DaemonHandler handler = run.handler();
        boolean ranWell = clock.nanos() - run.startedAt()
                >= Durations.nanos(handler.backoff().cap());
        int restarts = (ranWell ? 0 : run.restarts()) + 1;
        if (handler.gaveUp(restarts)) {
            log.error(
                    "daemon={} failed: it ended {} times in a row and stays stopped until it is reset",
                    run.name(),
                    restarts,
                    ending.loggable());
            store.fail(run.ref(), restarts - 1, ending.error());
            runs.remove(run.name());
            return;
        }
        Duration wait = handler.backoff().backoffAfter(Math.min(restarts, 1_000), ThreadLocalRandom.current());
        log.warn(
                "daemon={} ended and starts again in {} ms: {}",
                run.name(),
                wait.toMillis(),
                ending.error(),
                ending.loggable());
        store.backoff(run.ref(), restarts, ending.error());
        long at = clock.nanos() + wait.toNanos();
        run.restartAt(at == 0 ? 1 : at, restarts);
    }

    private void renew() {
        if (renewAt - clock.nanos() > 0) {
            return;
        }
        Map<Ref, DaemonRun> held = runs.values().stream()
                .filter(run -> !run.isLost())
                .collect(Collectors.toMap(DaemonRun::ref, Function.identity()));
        long askedAt = clock.nanos();
        if (!held.isEmpty()) {
            Set<Ref> kept = store.renew(held.keySet(), times.lease());
            held.forEach((ref, run) -> {
                if (kept.contains(ref)) {
                    run.renewed(askedAt + times.lease().toNanos());
                } else {
                    log.warn("daemon={} token={} now belongs to another node", ref.name(), ref.token());
                    lose(run);
                }
            });
        }
        renewAt = askedAt + times.renew().toNanos();
    }

    private void lose(DaemonRun run) {
        run.lose();
        loop.wake();
    }

    /**
     * Stops daemons that another node may soon take over: a daemon whose lease is about to end, and all cluster-wide daemons if
     * heartbeats have failed for so long that this node may soon be declared dead. Sends no statement.
     */
    private Duration checkLeases() {
        runs.values().forEach(DaemonRun::stopIfOverdue);
        return runs.isEmpty()
                ? SLOW_SURVEY
                : Duration.ofMillis(Math.min(250, times.lease().toMillis() / 10));
    }

    /** Why this run has to stop; null if it may continue. */
    private @Nullable String overdue(DaemonRun run) {
        long now = clock.nanos();
        if (run.leaseEnd() - times.lease().toNanos() / 6 - now <= 0) {
            return "its lease could not be renewed";
        }
        return mayBeDeadSoon(now) && !run.handler().perNode()
                ? "no heartbeat succeeded lately, and this node may be declared dead"
                : null;
    }

    private boolean mayBeDeadSoon(long now) {
        return aliveUntil.getAsLong() - times.stop().toNanos() - now <= 0;
    }

    private void surveyIfDue() {
        boolean asked = surveyNow;
        if (draining || suspended || !asked && surveyAt - clock.nanos() > 0) {
            return;
        }
        if (mayBeDeadSoon(clock.nanos())) {
            surveyAt = clock.nanos() + SURVEY_AFTER_HEARTBEAT.toNanos();
            return;
        }
        surveyNow = false;
        Holder holder = declared;
        List<String> names = handlers.keySet().stream()
                .filter(name -> !runs.containsKey(name))
                .toList();
        Survey survey = store.survey(holder, handlers.keySet(), runs.keySet());
        boolean left = survey.free() && !names.isEmpty() && claim(holder, names);
        plan(survey, left);
    }

    /** Claims what it may; true if a free daemon may be left. */
    private boolean claim(Holder holder, List<String> names) {
        Optional<Claim> claim;
        do {
            List<String> wanted =
                    names.stream().filter(name -> !runs.containsKey(name)).toList();
            long askedAt = clock.nanos();
            claim = wanted.isEmpty() ? Optional.empty() : store.claim(holder, wanted, times.lease(), times.renew());
            claim.ifPresent(taken -> begin(holder, taken, askedAt));
            if (wanted.isEmpty()) {
                return false;
            }
        } while (claim.isPresent());
        return true;
    }

    private void begin(Holder holder, Claim claim, long askedAt) {
        DaemonHandler handler = handlers.get(claim.ref().name());
        DaemonRun run = new DaemonRun(
                handler,
                claim,
                holder.node(),
                connections,
                this::overdue,
                loop::wake,
                telemetry,
                askedAt + times.lease().toNanos());
        moves.claimed(handler.name(), clock.nanos());
        runs.put(handler.name(), run);
        run.start(clock.nanos());
        if (suspended) {
            lose(run);
        } else if (draining) {
            run.stop();
        }
        deadlines.wake();
        taken.run();
        log.info(
                "daemon={} node={} token={} started",
                handler.name(),
                holder.node(),
                claim.ref().token());
    }

    private void plan(Survey survey, boolean left) {
        long now = clock.nanos();
        moves.surveyed(survey, runs.keySet(), now);
        Duration pause = survey.nextEnd()
                .map(end -> end.plusMillis(ThreadLocalRandom.current().nextLong(20, 120)))
                .filter(end -> end.compareTo(SLOW_SURVEY) < 0)
                .orElse(SLOW_SURVEY);
        if (left) {
            Duration soon = times.renew().dividedBy(4);
            pause = Durations.shorter(soon, pause);
        }
        surveyAt = now + pause.toNanos();
        DaemonRun surplus = survey.surplus() == null ? null : runs.get(survey.surplus());
        if (surplus != null && !survey.free() && !surplus.isShutdown()) {
            if (moves.mayMove(now)) {
                log.info("daemon={} moves: another node runs fewer", surplus.name());
                surplus.stop();
                moves.moved(surplus.name(), now);
            }
            surveyAt = Math.min(surveyAt - now, moves.untilNext(now)) + now;
        }
    }

    private Duration untilNext() {
        long now = clock.nanos();
        long wait = draining || suspended ? SLOW_SURVEY.toNanos() : surveyAt - now;
        for (DaemonRun run : runs.values()) {
            wait = Math.min(wait, renewAt - now);
            if (!run.isRunning() && run.restartAt() != 0) {
                wait = Math.min(wait, run.restartAt() - now);
            }
        }
        return Duration.ofNanos(Math.max(wait, 0));
    }

    /** This node was declared dead or replaced: it has lost its daemons, and claims no more. */
    @Override
    public void suspend() {
        suspended = true;
        runs.values().forEach(this::lose);
    }

    /** This node has joined again and may claim its share. */
    @Override
    public void resume() {
        suspended = false;
        wake();
    }

    /** Claims no more, and tells all daemons to stop. Each is released when it has stopped. */
    @Override
    public synchronized void prepareToStop() {
        if (!draining) {
            drainingSince = System.nanoTime();
            draining = true;
        }
        runs.values().forEach(DaemonRun::stop);
        loop.wake();
    }

    /**
     * Waits until all daemons have stopped, for at most {@link Times#drain} since they were told to; then interrupts the rest and
     * releases what is left.
     */
    @Override
    public synchronized void stop() {
        if (!started) {
            return;
        }
        started = false;
        prepareToStop();
        long deadline = drainingSince + times.drain().toNanos();
        withdraw();
        if (!awaitEmpty(deadline)) {
            runs.values().forEach(DaemonRun::interrupt);
            awaitEmpty(System.nanoTime() + LAST_STATEMENTS_NANOS);
        }
        loop.stop();
        deadlines.stop();
        releaseRest();
    }

    private void withdraw() {
        Holder holder = declared;
        if (holder != null) {
            try {
                store.withdraw(holder);
            } catch (MusterException e) {
                log.warn("node={} could not record that it takes no more daemons: {}", holder.node(), e.getMessage());
            }
        }
    }

    private boolean awaitEmpty(long deadline) {
        while (!runs.isEmpty()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            loop.wake();
            try {
                TimeUnit.MILLISECONDS.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private void releaseRest() {
        for (DaemonRun run : runs.values()) {
            if (run.isRunning()) {
                log.warn(
                        "daemon={} did not stop when told to; it is released while its thread is still running",
                        run.name());
            }
            run.interrupt();
            try {
                if (!run.isLost()) {
                    store.release(run.ref(), run.restarts());
                }
            } catch (MusterException e) {
                log.warn("daemon={} could not be released; its lease will end: {}", run.name(), e.getMessage());
            }
        }
        changed.run();
    }
}
