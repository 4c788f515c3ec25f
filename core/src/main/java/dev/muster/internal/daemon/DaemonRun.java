package dev.muster.internal.daemon;

import dev.muster.daemon.DaemonContext;
import dev.muster.internal.daemon.DaemonStore.Claim;
import dev.muster.internal.daemon.DaemonStore.Ref;
import dev.muster.internal.runtime.ConnectionSource;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.LogContext;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.Fence;
import dev.muster.telemetry.Telemetry.DaemonEnd;
import dev.muster.telemetry.Telemetry.DaemonStart;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** One daemon that this node holds: its thread while it runs, and its wait between two runs. */
final class DaemonRun implements DaemonContext {
    private static final String LOGGER = "dev.muster.daemon.";

    private final DaemonHandler handler;
    private final Claim claim;
    private final String node;
    private final ConnectionSource connections;
    private final Function<DaemonRun, @Nullable String> overdue;
    private final Runnable ended;
    private final TelemetryListeners telemetry;
    private final Logger log;
    private final CountDownLatch shutdown = new CountDownLatch(1);
    private volatile boolean lost;
    private volatile long leaseEnd;
    private volatile @Nullable Thread thread;
    private volatile @Nullable Ending ending;
    private volatile int restarts;
    private volatile long startedAt;
    private long restartAt;
    private boolean first = true;

    /** How a run ended: with a failure, or by returning. */
    record Ending(@Nullable Throwable failure) {
        String error() {
            if (failure == null) {
                return "it returned without being told to stop";
            }
            try {
                return String.valueOf(failure);
            } catch (RuntimeException | Error e) {
                // The exception's own message threw.
                return failure.getClass().getName();
            }
        }

        /** The failure, unless logging it would throw. */
        @Nullable
        Throwable loggable() {
            try {
                return failure == null || failure.toString() == null ? null : failure;
            } catch (RuntimeException | Error e) {
                return null;
            }
        }
    }

    /** @param overdue returns why a run has to stop; null if it may continue */
    DaemonRun(
            DaemonHandler handler,
            Claim claim,
            String node,
            ConnectionSource connections,
            Function<DaemonRun, @Nullable String> overdue,
            Runnable ended,
            TelemetryListeners telemetry,
            long leaseEnd) {
        this.handler = handler;
        this.claim = claim;
        this.node = node;
        this.connections = connections;
        this.overdue = overdue;
        this.ended = ended;
        this.telemetry = telemetry;
        this.leaseEnd = leaseEnd;
        this.restarts = claim.restarts();
        this.log = LoggerFactory.getLogger(LOGGER + handler.name());
    }

    DaemonHandler handler() {
        return handler;
    }

    Ref ref() {
        return claim.ref();
    }

    void start(long now) {
        ending = null;
        startedAt = now;
        Thread fresh = new Thread(LogContext.inherit("daemon", this::run), "muster-daemon-" + handler.name());
        fresh.setDaemon(true);
        thread = fresh;
        try {
            fresh.start();
        } catch (Error e) {
            // If there is no memory for another thread, that counts as a failed run.
            ending = new Ending(e);
            thread = null;
            ended.run();
        }
    }

    private void run() {
        MDC.put("daemon", handler.name());
        Throwable failure = null;
        try {
            boolean stop = first && !handler.startDelay().isZero() && awaitShutdown(handler.startDelay());
            first = false;
            if (!stop) {
                runBody();
            }
        } catch (Throwable e) {
            failure = e;
        } finally {
            ending = new Ending(failure);
            thread = null;
            ended.run();
        }
    }

    private void runBody() throws Throwable {
        if (!telemetry.isEnabled()) {
            handler.body().run(this);
            return;
        }
        telemetry.daemonStarted(new DaemonStart(handler.name(), claim.ref().token(), restarts));
        interruptIfLost();
        long start = System.nanoTime();
        @Nullable Throwable failure = null;
        try {
            handler.body().run(this);
        } catch (Throwable e) {
            failure = e;
            throw e;
        } finally {
            telemetry.daemonEnded(new DaemonEnd(
                    handler.name(),
                    claim.ref().token(),
                    System.nanoTime() - start,
                    shutdown.getCount() == 0,
                    Optional.ofNullable(failure)));
        }
    }

    /** A listener may have consumed an interrupt that was meant for the daemon. */
    private void interruptIfLost() {
        if (lost) {
            Thread.currentThread().interrupt();
        }
    }

    /** How the last run ended; null while the daemon runs. */
    @Nullable
    Ending ending() {
        return ending;
    }

    boolean isRunning() {
        return thread != null;
    }

    long startedAt() {
        return startedAt;
    }

    /** Schedules the next start. */
    void restartAt(long nanos, int restarts) {
        this.restarts = restarts;
        this.restartAt = nanos;
    }

    long restartAt() {
        return restartAt;
    }

    long leaseEnd() {
        return leaseEnd;
    }

    void renewed(long leaseEnd) {
        this.leaseEnd = leaseEnd;
    }

    boolean isLost() {
        return lost;
    }

    /** Tells the daemon to stop. */
    void stop() {
        shutdown.countDown();
    }

    /** Stops and interrupts the daemon, because its lease is over or about to end. */
    void lose() {
        lost = true;
        stop();
        interrupt();
    }

    /** Stops the daemon if it must not continue. After its process was frozen, this is checked before the daemon gets any answer. */
    void stopIfOverdue() {
        String reason = lost ? null : overdue.apply(this);
        if (reason != null) {
            log.warn("daemon={} interrupted: {}", handler.name(), reason);
            lose();
            ended.run();
        }
    }

    void interrupt() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    @Override
    public String name() {
        return handler.name();
    }

    @Override
    public String nodeId() {
        return node;
    }

    @Override
    public int restarts() {
        return restarts;
    }

    @Override
    public boolean awaitShutdown(Duration atMost) {
        try {
            return shutdown.await(Durations.nanos(atMost), TimeUnit.NANOSECONDS) || isShutdown();
        } catch (InterruptedException e) {
            if (!isShutdown()) {
                // The interruption came from elsewhere, so the daemon's own code has to see it.
                Thread.currentThread().interrupt();
            }
            return true;
        }
    }

    @Override
    public boolean isShutdown() {
        stopIfOverdue();
        return shutdown.getCount() == 0;
    }

    @Override
    public Fence fence() {
        return claim.fence();
    }

    @Override
    public Connection connection() throws SQLException {
        return connections.get();
    }

    @Override
    public Logger log() {
        return log;
    }
}
