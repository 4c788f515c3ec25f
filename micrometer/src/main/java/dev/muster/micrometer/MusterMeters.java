package dev.muster.micrometer;

import dev.muster.Muster;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.ExpiredJob;
import dev.muster.leader.LeaderRole;
import dev.muster.telemetry.Telemetry;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one node.
 *
 * <pre>{@code
 * MusterMeters meters = new MusterMeters();
 * meters.bindTo(registry);
 * Muster muster = Muster.builder().dataSource(dataSource).telemetry(meters).build();
 * meters.observe(muster);
 * }</pre>
 *
 * <p>Bind it before the node starts: what is counted before is not in the registry. {@link #observe} adds the gauges. What is known about the
 * queues and nodes of the cluster is in the meters of the node that leads, and of no other. Thread-safe.
 */
public final class MusterMeters implements Telemetry, MeterBinder, AutoCloseable {
    /** Duration.toNanos fails beyond 292 years. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
    private final Meters meters;
    private final JobTable jobs;
    private final Map<End.How, Counter> handlersEnded;
    private final Timer exchanges;
    private final Counter written;
    private final Counter refused;
    private final Timer probesThatFound;
    private final Timer probesInVain;
    private final Bounded<RoleMeters> roles;
    private final Counter joined;
    private final Counter joinedAgain;
    private final Counter left;
    private final Map<Peer.State, Counter> peers;
    private final Bounded<CronMeters> crons;
    private final Timer late;
    private final Bounded<DaemonMeters> daemons;
    private volatile boolean gone;
    private @Nullable ClusterGauges cluster;

    private enum DaemonEnding {
        STOPPED,
        RETURNED,
        FAILED
    }

    public MusterMeters() {
        this(List.of());
    }

    /** @param tags that all meters get, such as the name of the node if several nodes share a registry */
    public MusterMeters(Iterable<Tag> tags) {
        this.meters = new Meters(registry, tags);
        this.jobs = new JobTable((name, queue) -> new JobMeters(meters, name, queue));
        this.handlersEnded =
                meters.counters(End.How.class, how -> meters.counter(MeterName.HANDLERS_ENDED, Meters.text(how)));
        this.exchanges = meters.timer(MeterName.EXCHANGES);
        this.written = meters.counter(MeterName.EXCHANGED_OUTCOMES, "written");
        this.refused = meters.counter(MeterName.EXCHANGED_OUTCOMES, "refused");
        this.probesThatFound = meters.timer(MeterName.PROBES, "true");
        this.probesInVain = meters.timer(MeterName.PROBES, "false");
        this.roles = new Bounded<>(RoleMeters::new);
        for (LeaderRole role : LeaderRole.values()) {
            roles.of(role.text());
        }
        this.joined = meters.counter(MeterName.NODE_JOINED, "false");
        this.joinedAgain = meters.counter(MeterName.NODE_JOINED, "true");
        this.left = meters.counter(MeterName.NODE_LEFT);
        this.peers =
                meters.counters(Peer.State.class, state -> meters.counter(MeterName.PEERS_CHANGED, Meters.text(state)));
        this.crons = new Bounded<>(CronMeters::new);
        this.late = meters.timer(MeterName.CRON_LATE);
        this.daemons = new Bounded<>(DaemonMeters::new);
    }

    private final class RoleMeters {
        final Counter beginnings;
        volatile boolean leads;
        volatile long term;

        RoleMeters(String role) {
            this.beginnings = meters.counter(MeterName.LEADER_BEGINNINGS, role);
            meters.gauge(MeterName.LEADER, () -> leads ? 1 : 0, role);
            meters.gauge(MeterName.LEADER_TERM, () -> term, role);
        }
    }

    private final class CronMeters {
        final Counter enqueued;
        final Counter skipped;

        CronMeters(String cron) {
            this.enqueued = meters.counter(MeterName.CRON_TICKS, cron, "enqueued");
            this.skipped = meters.counter(MeterName.CRON_TICKS, cron, "skipped");
        }
    }

    private final class DaemonMeters {
        final LongAdder running = new LongAdder();
        final Counter starts;
        final Map<DaemonEnding, Counter> ends;

        DaemonMeters(String daemon) {
            this.starts = meters.counter(MeterName.DAEMON_STARTS, daemon);
            this.ends = meters.counters(
                    DaemonEnding.class, how -> meters.counter(MeterName.DAEMON_ENDS, daemon, Meters.text(how)));
            meters.gauge(MeterName.DAEMONS_RUNNING, running::sum, daemon);
        }
    }

    /** Adds all meters to a registry, and those that come later. */
    @Override
    public void bindTo(MeterRegistry target) {
        registry.add(target);
    }

    /** Adds the gauges of this node and, while it leads, those of the cluster. Called once, with the Muster that has this as its telemetry. */
    public synchronized MusterMeters observe(Muster muster) {
        if (cluster != null) {
            throw new IllegalStateException("these meters observe another node already; make new ones for each node");
        }
        new NodeGauges(muster).addTo(meters);
        RoleMeters scheduler = roles.of(LeaderRole.SCHEDULER.text());
        ClusterGauges added = new ClusterGauges(
                muster::reachesDatabase,
                () -> muster.queues().list(),
                muster::nodes,
                () -> scheduler.leads,
                () -> gone,
                muster.api(NodeContext.class).clock());
        added.addTo(meters);
        cluster = added;
        return this;
    }

    /** Removes the meters from all registries, which stay open. What the node still does is not counted. Called after the node has closed. */
    @Override
    public synchronized void close() {
        if (cluster != null) {
            cluster.close();
        }
        meters.close();
    }

    private JobMeters of(Claim claim) {
        return jobs.of(claim.name(), claim.queue());
    }

    private static void record(Timer timer, long nanos) {
        timer.record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    private static void record(Timer timer, Duration duration) {
        record(timer, duration.compareTo(LONGEST) < 0 ? duration.toNanos() : LONGEST.toNanos());
    }

    @Override
    public void exchanged(Exchange event) {
        record(exchanges, event.nanos());
        written.increment(event.written());
        refused.increment(event.refused());
    }

    @Override
    public void probed(Probe event) {
        record(event.found() ? probesThatFound : probesInVain, event.nanos());
    }

    @Override
    public void claimed(Claims event) {
        for (NewClaim claim : event.claims()) {
            JobMeters counts = of(claim.claim());
            counts.claimed.increment();
            record(counts.waited, claim.waited());
        }
    }

    @Override
    public void started(Start event) {
        of(event.claim()).started.increment();
    }

    @Override
    public void ended(End event) {
        record(of(event.claim()).run, event.nanos());
        handlersEnded.get(event.how()).increment();
    }

    @Override
    public void accepted(Outcome event) {
        of(event.claim()).outcomes.get(event.kind()).increment();
    }

    @Override
    public void lost(Loss event) {
        of(event.claim()).lost.get(event.reason()).increment();
    }

    @Override
    public void stuck(Stuck event) {
        of(event.claim()).stuck.increment();
    }

    @Override
    public void recovered(Recovery event) {
        JobMeters counts = of(event.claim());
        (event.crash() ? counts.crashed : counts.takenBack).increment();
    }

    @Override
    public void expired(ExpiredJob event) {
        jobs.of(event.name(), event.queue()).expired.increment();
    }

    @Override
    public void leading(Leadership event) {
        RoleMeters role = roles.of(event.role());
        role.leads = event.leads();
        role.term = event.term();
        if (event.leads()) {
            role.beginnings.increment();
        }
    }

    @Override
    public void joined(Membership event) {
        gone = false;
        (event.again() ? joinedAgain : joined).increment();
    }

    @Override
    public void left(Membership event) {
        gone = true;
        left.increment();
    }

    @Override
    public void peerChanged(Peer event) {
        peers.get(event.state()).increment();
    }

    @Override
    public void ticked(Tick event) {
        CronMeters cron = crons.of(event.cron());
        (event.job().isPresent() ? cron.enqueued : cron.skipped).increment();
        record(late, event.late());
    }

    @Override
    public void daemonStarted(DaemonStart event) {
        DaemonMeters daemon = daemons.of(event.name());
        daemon.starts.increment();
        daemon.running.increment();
    }

    @Override
    public void daemonEnded(DaemonEnd event) {
        DaemonMeters daemon = daemons.of(event.name());
        daemon.running.decrement();
        DaemonEnding how = event.told()
                ? DaemonEnding.STOPPED
                : event.failure().isPresent() ? DaemonEnding.FAILED : DaemonEnding.RETURNED;
        daemon.ends.get(how).increment();
    }
}
