package dev.muster.gateway.internal.metrics;

import dev.muster.job.ExpiredJob;
import dev.muster.leader.LeaderRole;
import dev.muster.telemetry.Telemetry;
import java.util.concurrent.atomic.LongAdder;

/** Counts the events of one node. */
public final class NodeMetrics implements Telemetry {
    private final JobTable jobs = new JobTable();
    private final Counts<End.How> handlersEnded = new Counts<>(End.How.values());
    private final Histogram exchanges = new Histogram();
    private final LongAdder written = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final Histogram probesThatFound = new Histogram();
    private final Histogram probesInVain = new Histogram();
    private final NamedCounts<RoleCounts> roles = new NamedCounts<>(RoleCounts::new);
    private final LongAdder joined = new LongAdder();
    private final LongAdder joinedAgain = new LongAdder();
    private final LongAdder left = new LongAdder();
    private final Counts<Peer.State> peers = new Counts<>(Peer.State.values());
    private final NamedCounts<CronCounts> crons = new NamedCounts<>(CronCounts::new);
    private final Histogram late = new Histogram();
    private final NamedCounts<DaemonCounts> daemons = new NamedCounts<>(DaemonCounts::new);

    private static final class RoleCounts {
        final LongAdder beginnings = new LongAdder();
        volatile boolean leads;
        volatile long term;
    }

    private static final class CronCounts {
        final LongAdder enqueued = new LongAdder();
        final LongAdder skipped = new LongAdder();
    }

    private static final class DaemonCounts {
        final LongAdder starts = new LongAdder();
        final LongAdder running = new LongAdder();
        final Counts<DaemonEnding> ends = new Counts<>(DaemonEnding.values());
    }

    private enum DaemonEnding {
        STOPPED,
        RETURNED,
        FAILED
    }

    public NodeMetrics() {
        for (LeaderRole role : LeaderRole.values()) {
            roles.of(role.text());
        }
    }

    private JobCounts of(Claim claim) {
        return jobs.of(claim.name(), claim.queue());
    }

    @Override
    public void exchanged(Exchange event) {
        exchanges.record(event.nanos());
        written.add(event.written());
        refused.add(event.refused());
    }

    @Override
    public void probed(Probe event) {
        (event.found() ? probesThatFound : probesInVain).record(event.nanos());
    }

    @Override
    public void claimed(Claims event) {
        for (NewClaim claim : event.claims()) {
            JobCounts counts = of(claim.claim());
            counts.claimed.increment();
            counts.waited.record(claim.waited());
        }
    }

    @Override
    public void started(Start event) {
        of(event.claim()).started.increment();
    }

    @Override
    public void ended(End event) {
        of(event.claim()).run.record(event.nanos());
        handlersEnded.count(event.how());
    }

    @Override
    public void accepted(Outcome event) {
        of(event.claim()).outcomes.count(event.kind());
    }

    @Override
    public void lost(Loss event) {
        of(event.claim()).lost.count(event.reason());
    }

    @Override
    public void stuck(Stuck event) {
        of(event.claim()).stuck.increment();
    }

    @Override
    public void recovered(Recovery event) {
        JobCounts counts = of(event.claim());
        (event.crash() ? counts.crashed : counts.takenBack).increment();
    }

    @Override
    public void expired(ExpiredJob event) {
        jobs.of(event.name(), event.queue()).expired.increment();
    }

    @Override
    public void leading(Leadership event) {
        RoleCounts counts = roles.of(event.role());
        counts.leads = event.leads();
        counts.term = event.term();
        if (event.leads()) {
            counts.beginnings.increment();
        }
    }

    @Override
    public void joined(Membership event) {
        (event.again() ? joinedAgain : joined).increment();
    }

    @Override
    public void left(Membership event) {
        left.increment();
    }

    @Override
    public void peerChanged(Peer event) {
        peers.count(event.state());
    }

    @Override
    public void ticked(Tick event) {
        CronCounts counts = crons.of(event.cron());
        (event.job().isPresent() ? counts.enqueued : counts.skipped).increment();
        late.record(event.late());
    }

    @Override
    public void daemonStarted(DaemonStart event) {
        DaemonCounts counts = daemons.of(event.name());
        counts.starts.increment();
        counts.running.increment();
    }

    @Override
    public void daemonEnded(DaemonEnd event) {
        DaemonCounts counts = daemons.of(event.name());
        counts.running.decrement();
        counts.ends.count(
                event.told()
                        ? DaemonEnding.STOPPED
                        : event.failure().isPresent() ? DaemonEnding.FAILED : DaemonEnding.RETURNED);
    }

    void write(Samples samples) {
        jobs.write(samples);
        handlersEnded.forEach((how, count) -> samples.add(Metric.HANDLERS_ENDED, count, how));
        samples.add(Metric.EXCHANGES, exchanges);
        samples.add(Metric.EXCHANGED_OUTCOMES, written.sum(), "written");
        samples.add(Metric.EXCHANGED_OUTCOMES, refused.sum(), "refused");
        samples.add(Metric.PROBES, probesThatFound, "true");
        samples.add(Metric.PROBES, probesInVain, "false");
        roles.forEach((role, counts) -> {
            samples.add(Metric.LEADER, counts.leads ? 1 : 0, role);
            samples.add(Metric.LEADER_TERM, counts.term, role);
            samples.add(Metric.LEADER_BEGINNINGS, counts.beginnings.sum(), role);
        });
        samples.add(Metric.NODE_JOINED, joined.sum(), "false");
        samples.add(Metric.NODE_JOINED, joinedAgain.sum(), "true");
        samples.add(Metric.NODE_LEFT, left.sum());
        peers.forEach((state, count) -> samples.add(Metric.PEERS_CHANGED, count, state));
        crons.forEach((cron, counts) -> {
            samples.add(Metric.CRON_TICKS, counts.enqueued.sum(), cron, "enqueued");
            samples.add(Metric.CRON_TICKS, counts.skipped.sum(), cron, "skipped");
        });
        samples.add(Metric.CRON_LATE, late);
        daemons.forEach((daemon, counts) -> {
            samples.add(Metric.DAEMON_STARTS, counts.starts.sum(), daemon);
            samples.add(Metric.DAEMONS_RUNNING, counts.running.sum(), daemon);
            counts.ends.forEach((how, count) -> samples.add(Metric.DAEMON_ENDS, count, daemon, how));
        });
    }
}
