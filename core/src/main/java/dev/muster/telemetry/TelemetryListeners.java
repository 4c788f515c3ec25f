package dev.muster.telemetry;

import dev.muster.job.ExpiredJob;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.RecoveryStore.Recovered;
import dev.muster.runtime.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the engine calls: passes each event to all registered listeners, and keeps their failures from the engine. A caller asks {@link
 * #isEnabled} before it creates an event.
 */
public final class TelemetryListeners implements Telemetry {
    private static final Logger log = LoggerFactory.getLogger(TelemetryListeners.class);
    private static final long BETWEEN_WARNINGS = TimeUnit.MINUTES.toNanos(1);
    private static final TelemetryListeners NONE = new TelemetryListeners(List.of(), Clock.system());

    private final boolean enabled;
    private final List<Telemetry> listeners;
    private final Clock clock;
    private final AtomicLong warnAt;
    private final AtomicLong unreported = new AtomicLong();

    public TelemetryListeners(List<Telemetry> listeners, Clock clock) {
        this.listeners = List.copyOf(listeners);
        this.enabled = !listeners.isEmpty();
        this.clock = clock;
        this.warnAt = new AtomicLong(clock.nanos());
    }

    /** Without any listener. */
    public static TelemetryListeners none() {
        return NONE;
    }

    /** Whether there is a listener; if not, no event need be created. */
    public boolean isEnabled() {
        return enabled;
    }

    /** The claim of this job, for an event. */
    public static Claim claimOf(ClaimedJob job) {
        return new Claim(job.id(), job.claim().token(), job.name(), job.lane(), job.attempt());
    }

    /** These claims were taken back, and that is committed. */
    public void recovered(Collection<Recovered> claims) {
        if (enabled) {
            for (Recovered job : claims) {
                recovered(new Recovery(
                        new Claim(job.id(), job.token(), job.name(), job.lane(), job.attempt()),
                        job.node(),
                        job.crash(),
                        job.crashes(),
                        job.status(),
                        Optional.ofNullable(job.error())));
            }
        }
    }

    private <E> void tell(BiConsumer<Telemetry, E> method, E event) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        for (Telemetry listener : listeners) {
            try {
                method.accept(listener, event);
            } catch (Throwable e) {
                warn(listener, e);
            }
        }
        restore(interrupted);
    }

    /** An interrupt that a listener left behind would end a loop of the engine; one that it consumed was not meant for it. */
    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        } else {
            Thread.interrupted();
        }
    }

    /** Logging may fail too: memory may have run out, or the exception's own message may throw. */
    private void warn(Telemetry listener, Throwable e) {
        try {
            long now = clock.nanos();
            long due = warnAt.get();
            if (now - due < 0 || !warnAt.compareAndSet(due, now + BETWEEN_WARNINGS)) {
                unreported.incrementAndGet();
                return;
            }
            log.warn(
                    "telemetry={} failed; it does not get this event again; failures_not_logged_before={}",
                    listener.getClass().getName(),
                    unreported.getAndSet(0),
                    e);
        } catch (Throwable alsoWrong) {
            unreported.incrementAndGet();
        }
    }

    @Override
    public void exchanged(Exchange event) {
        tell(Telemetry::exchanged, event);
    }

    @Override
    public void probed(Probe event) {
        tell(Telemetry::probed, event);
    }

    @Override
    public void claimed(Claims event) {
        tell(Telemetry::claimed, event);
    }

    @Override
    public void started(Start event) {
        tell(Telemetry::started, event);
    }

    @Override
    public void ended(End event) {
        tell(Telemetry::ended, event);
    }

    @Override
    public void accepted(Outcome event) {
        tell(Telemetry::accepted, event);
    }

    @Override
    public void lost(Loss event) {
        tell(Telemetry::lost, event);
    }

    @Override
    public void stuck(Stuck event) {
        tell(Telemetry::stuck, event);
    }

    @Override
    public void recovered(Recovery event) {
        tell(Telemetry::recovered, event);
    }

    @Override
    public void expired(ExpiredJob event) {
        tell(Telemetry::expired, event);
    }

    @Override
    public void leading(Leadership event) {
        tell(Telemetry::leading, event);
    }

    @Override
    public void joined(Membership event) {
        tell(Telemetry::joined, event);
    }

    @Override
    public void left(Membership event) {
        tell(Telemetry::left, event);
    }

    @Override
    public void peerChanged(Peer event) {
        tell(Telemetry::peerChanged, event);
    }

    @Override
    public void ticked(Tick event) {
        tell(Telemetry::ticked, event);
    }

    @Override
    public void daemonStarted(DaemonStart event) {
        tell(Telemetry::daemonStarted, event);
    }

    @Override
    public void daemonEnded(DaemonEnd event) {
        tell(Telemetry::daemonEnded, event);
    }
}
