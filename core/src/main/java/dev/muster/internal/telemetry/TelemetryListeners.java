package dev.muster.internal.telemetry;

import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.ExpiredJob;
import dev.muster.runtime.Clock;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Tracing;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the engine calls: passes each event to all registered listeners, and keeps their failures from the engine. A caller asks {@link
 * #isEnabled} before it creates an event.
 */
public final class TelemetryListeners implements Telemetry {
    private static final TelemetryListeners NONE = new TelemetryListeners(List.of(), Clock.system());

    private final boolean enabled;
    private final List<Telemetry> listeners;
    private final ListenerFailures failures;
    private final Traces traces;

    public TelemetryListeners(List<Telemetry> listeners, Clock clock) {
        this(listeners, null, clock);
    }

    /** @param tracing makes spans; null if nobody does */
    public TelemetryListeners(List<Telemetry> listeners, @Nullable Tracing tracing, Clock clock) {
        this.listeners = List.copyOf(listeners);
        this.enabled = !listeners.isEmpty();
        this.failures = new ListenerFailures(clock);
        this.traces = new Traces(tracing, failures);
    }

    /** Without any listener. */
    public static TelemetryListeners none() {
        return NONE;
    }

    /** Whether there is a listener; if not, no event need be created. */
    public boolean isEnabled() {
        return enabled;
    }

    /** Begins spans. It does nothing if there is no tracer. */
    public Traces traces() {
        return traces;
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
                failures.warn(listener, e);
            }
        }
        ListenerFailures.restore(interrupted);
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
