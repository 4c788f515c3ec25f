package dev.muster.recovery;

import dev.muster.cluster.Contact;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore;
import dev.muster.cluster.NodeStore.Agenda;
import dev.muster.cluster.NodeStore.Judgement;
import dev.muster.cluster.NodeStore.Marked;
import dev.muster.cluster.NodeStore.Patience;
import dev.muster.config.ClusterConfig;
import dev.muster.config.WorkerConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.JobStore;
import dev.muster.job.JobStore.Recovered;
import dev.muster.job.Lane;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Cadence;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.Loop;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Service;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after the others: see the package description. */
public final class Recovery implements Service {
    private static final Logger log = LoggerFactory.getLogger(Recovery.class);
    private static final int BATCH = 500;
    private static final long FULL_EVERY_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** How soon a node finds out that the duty has become its own; asks nobody. */
    private static final Duration OFF_DUTY = Duration.ofMillis(250);

    /** Pause before a look that is due again: someone else may hold the row just now. */
    private static final Duration SHORTLY = Duration.ofMillis(50);

    private final String self;
    private final NodeStore nodes;
    private final JobStore jobs;
    private final Duty duty;
    private final Contact contact;
    private final WorkerConfig config;
    private final Patience patience;
    private final Duration moment;
    private final Estate estate;
    private final Consumer<Set<Lane>> newWork;
    private final Cadence cadence;
    private final Clock clock;
    private final Loop loop = new Loop("recovery", this::tick);
    private boolean onDuty;
    private boolean neverSwept = true;
    private long lastFull;

    /** What else a node may hold when it dies, beside its claims. */
    public interface Estate {

        /** Takes it from a dead node, in the transaction that marks it dead. */
        void release(Connection tx, String node, UUID incarnation) throws SQLException;

        /** That transaction has committed. */
        void released();
    }

    /** @param newWork told of lanes in which jobs have become claimable */
    public Recovery(
            String self,
            NodeStore nodes,
            JobStore jobs,
            Duty duty,
            Contact contact,
            ClusterConfig cluster,
            WorkerConfig config,
            Estate estate,
            Consumer<Set<Lane>> newWork,
            Cadence cadence,
            Clock clock) {
        this.self = self;
        this.nodes = nodes;
        this.jobs = jobs;
        this.duty = duty;
        this.contact = contact;
        this.config = config;
        this.patience = new Patience(cluster.staleThreshold(), cluster.deadThreshold());
        this.moment = cluster.heartbeatInterval();
        this.estate = estate;
        this.newWork = newWork;
        this.cadence = cadence;
        this.clock = clock;
    }

    @Override
    public String name() {
        return loop.name();
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop() {
        loop.stop();
    }

    @Override
    public Health health() {
        return loop.health();
    }

    /** The duty may have changed hands. */
    public void wake() {
        loop.wake();
    }

    private Duration tick() {
        if (!duty.isMine()) {
            onDuty = false;
            return OFF_DUTY;
        }
        try {
            return look();
        } catch (StaleLeader e) {
            log.debug("the duty went to another node", e);
            onDuty = false;
            return OFF_DUTY;
        } catch (DatabaseUnavailable e) {
            contact.lost();
            throw e;
        }
    }

    private Duration look() {
        if (!onDuty && contact.age().compareTo(patience.stale()) > 0) {
            contact.listenFor(moment);
        }
        onDuty = true;
        boolean everything = neverSwept || clock.nanos() - lastFull >= FULL_EVERY_NANOS;
        long asked = clock.nanos();
        Agenda agenda = nodes.agenda(self, patience, everything);
        contact.answered(asked, config.sweepInterval());
        boolean mayJudge = contact.untilJudgement().isZero();
        if (mayJudge) {
            judge(agenda, everything);
        }
        if (agenda.expired()) {
            orReport("expiry", this::expire);
        }
        if (agenda.waiting()) {
            orReport("waiting jobs", () -> freed(duty.run(jobs::sweepWaiting)));
        }
        return cadence.align(untilNext(agenda, mayJudge));
    }

    /** One duty that fails must not keep the others from being done. */
    private static void orReport(String what, Runnable task) {
        try {
            task.run();
        } catch (StaleLeader | DatabaseUnavailable e) {
            throw e;
        } catch (MusterException e) {
            log.warn("duty={} failed, will be tried again: {}", what, e.getMessage());
        }
    }

    private void judge(Agenda agenda, boolean everything) {
        if (agenda.nodes()) {
            Judgement judgement = duty.run(this::judge);
            takenBack(judgement.released());
            judgement.marked().forEach(Recovery::report);
            if (judgement.marked().stream().anyMatch(node -> node.now() == NodeStatus.DEAD)) {
                estate.released();
            }
            judgement.removed().forEach(id -> log.info("peer={} had been dead for an hour; its row is removed", id));
        }
        if (agenda.leases() || everything) {
            orReport("leases", () -> sweep(everything));
        }
        neverSwept = false;
        if (everything) {
            lastFull = clock.nanos();
        }
    }

    /** Marks nodes, and takes from the dead all they held, in one transaction. */
    private Judgement judge(Connection tx) throws SQLException {
        Judgement judgement = nodes.judge(tx, self, patience);
        for (Marked node : judgement.marked()) {
            if (node.now() == NodeStatus.DEAD) {
                estate.release(tx, node.id(), node.incarnation());
            }
        }
        return judgement;
    }

    /** Until the next sweep, the first node that can be overdue, or the end of the grace in which nobody is judged. */
    private Duration untilNext(Agenda agenda, boolean mayJudge) {
        Duration wait = shorter(config.sweepInterval(), patience.stale());
        if (!mayJudge) {
            return shorter(wait, longer(contact.untilJudgement(), SHORTLY));
        }
        Duration overdue = agenda.nextOverdue().orElse(wait);
        return shorter(wait, longer(overdue, SHORTLY));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    private void expire() {
        List<JobId> expired;
        do {
            expired = duty.run(tx -> jobs.expire(tx, BATCH));
            ended(expired);
        } while (expired.size() == BATCH);
    }

    private void sweep(boolean everything) {
        List<Recovered> recovered;
        do {
            recovered = duty.run(tx -> jobs.recoverExpired(tx, BATCH, everything));
            takenBack(recovered);
        } while (recovered.size() >= BATCH);
    }

    /** Tells the world of claims that were taken from a node. */
    public void takenBack(List<Recovered> recovered) {
        // First of all: every line that is logged would delay the jobs it is about.
        freed(recovered.stream()
                .filter(job -> job.status() == JobStatus.PENDING)
                .map(Recovered::lane)
                .collect(Collectors.toSet()));
        recovered.forEach(Recovery::report);
        ended(recovered.stream()
                .filter(job -> job.status().isTerminal())
                .map(Recovered::id)
                .toList());
    }

    private void ended(Collection<JobId> ids) {
        if (!ids.isEmpty()) {
            try {
                freed(jobs.resolveDependents(ids));
            } catch (MusterException e) {
                log.debug("dependents of {} jobs are left to the next sweep", ids.size(), e);
            }
        }
    }

    private void freed(Set<Lane> lanes) {
        if (!lanes.isEmpty()) {
            newWork.accept(lanes);
        }
    }

    private static void report(Marked node) {
        if (node.now() == NodeStatus.ACTIVE) {
            log.info("peer={} incarnation={} was seen again", node.id(), node.incarnation());
        } else {
            log.warn(
                    "peer={} incarnation={} silent_ms={} was {} is {}",
                    node.id(),
                    node.incarnation(),
                    node.silence().toMillis(),
                    node.before().text(),
                    node.now().text());
        }
    }

    private static void report(Recovered job) {
        log.warn(
                "job={} name={} taken from peer={} {}={} crash={} now={}",
                job.id(),
                job.name(),
                job.node(),
                job.leaseAge().isNegative() ? "lease_left_ms" : "lease_over_ms",
                job.leaseAge().abs().toMillis(),
                job.crash(),
                job.status().text());
    }
}
