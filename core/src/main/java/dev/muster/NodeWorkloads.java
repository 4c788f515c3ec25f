package dev.muster;

import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.daemon.DaemonKeeper;
import dev.muster.daemon.DaemonStore.Holder;
import dev.muster.job.JobHandler;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.RecoveryStore.Recovered;
import dev.muster.wakeup.ClusterCoordinator.Topic;
import dev.muster.worker.Worker;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs and daemons that a node runs, if it has handlers for them and the worker role. */
final class NodeWorkloads {
    private static final Logger log = LoggerFactory.getLogger(NodeWorkloads.class);
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(3);

    private final NodeContext base;
    final ClaimScope scope;
    final @Nullable Worker worker;
    final @Nullable DaemonKeeper daemons;

    /** @param jobs through which handlers enqueue */
    NodeWorkloads(NodeContext base, NodeLiveness liveness, Jobs jobs) {
        this.base = base;
        this.scope = scope(base);
        boolean works = base.config.node().has(NodeRole.WORKER);
        this.worker = works && !base.registry.isEmpty() ? worker(base, scope, liveness, jobs) : null;
        this.daemons = works && !base.handlers.daemons().isEmpty() ? daemons(base, liveness) : null;
        if (daemons != null) {
            base.coordinator.registerChangeListener(Topic.DAEMONS, daemons::wake);
        }
    }

    /** Why this node claims no jobs although it is active; empty if it does. */
    Optional<String> stuck() {
        return worker == null ? Optional.empty() : worker.stuck();
    }

    /** Whether this node has lately been able to claim and complete jobs; true if it is not a worker. */
    boolean canWrite() {
        return worker == null || worker.canWrite();
    }

    private static ClaimScope scope(NodeContext base) {
        return new ClaimScope(
                base.nodeId,
                base.config.node().queues().map(Set::copyOf).orElse(null),
                Set.copyOf(base.config.node().capabilities()),
                base.registry.names(),
                lease(base.config));
    }

    /** Without {@code worker.claiming} no other worker could take over a claim, so claims need no renewal. */
    private static Duration lease(MusterConfig config) {
        return config.worker().claiming() ? config.worker().lease() : Duration.ofDays(36_500);
    }

    private static Worker worker(NodeContext base, ClaimScope scope, NodeLiveness liveness, Jobs jobs) {
        return new Worker(
                scope,
                base.config.worker(),
                base.store.claims(),
                base.store.dependencies(),
                base.registry,
                base.interceptors,
                jobs,
                base.json,
                base.payloads,
                base.coordinator,
                base.listeners,
                liveness.beatMoreOften(),
                base.clock);
    }

    private static DaemonKeeper daemons(NodeContext base, NodeLiveness liveness) {
        return new DaemonKeeper(
                base.store.daemons(),
                base.handlers.daemons(),
                () -> new Holder(base.nodeId, liveness.incarnation().get()),
                base.store::connection,
                base::daemonsChanged,
                liveness.beatMoreOften(),
                liveness.aliveUntil(),
                new DaemonKeeper.Times(
                        base.config.worker().lease(),
                        base.config.worker().renew(),
                        timeToStop(base.config.cluster().deadThreshold()),
                        base.config.worker().drainTimeout()),
                base.clock);
    }

    /** How long before this node can be declared dead its daemons are told to stop. */
    private static Duration timeToStop(Duration deadThreshold) {
        Duration share = deadThreshold.dividedBy(5);
        return share.compareTo(TIME_TO_STOP) < 0 ? share : TIME_TO_STOP;
    }

    /** The handlers that this node runs jobs with. */
    Collection<JobHandler> handlers() {
        return worker == null ? List.of() : base.registry.all();
    }

    int runningJobs() {
        return worker == null ? 0 : worker.runningJobs();
    }

    /** Whether this node has claims or daemons. */
    boolean holdsSomething() {
        return (worker != null && worker.holdsClaims()) || (daemons != null && daemons.held() > 0);
    }

    /** Tells the workers, this node first, of lanes in which jobs have become claimable. */
    void newWork(Set<Lane> lanes) {
        if (worker == null) {
            base.signal.newWork(lanes);
        } else {
            worker.newWork(lanes);
        }
    }

    /**
     * With {@code worker.claiming = false} claims do not expire, so this node takes over those of the process that ran before it.
     * No other worker can lose any: if there were one, this node could not have joined.
     */
    void takeOverFromPredecessor() {
        if (worker == null || base.config.worker().claiming()) {
            return;
        }
        List<Recovered> recovered = base.store.recovery().recoverAll();
        if (!recovered.isEmpty()) {
            log.info("node={} took over {} jobs that its predecessor left", base.nodeId, recovered.size());
            recovered.stream()
                    .filter(job -> job.status() == JobStatus.FAILED)
                    .map(Recovered::asDeadLetter)
                    .forEach(base.listeners::deadLetter);
        }
    }

    void startJobs() {
        if (worker != null) {
            worker.start();
        }
    }

    void startDaemons() {
        if (daemons != null) {
            daemons.start();
        }
    }

    /** Stops all jobs and daemons, because this node has lost them. */
    void suspend() {
        if (worker != null) {
            worker.suspend();
        }
        if (daemons != null) {
            daemons.suspend();
        }
    }

    void resume() {
        if (worker != null) {
            worker.resume();
        }
        if (daemons != null) {
            daemons.resume();
        }
    }

    /**
     * Finishes running jobs and releases the others. Daemons are told to stop before this waits for jobs.
     *
     * @param attempt runs a step; if a step fails, the next one runs all the same
     */
    void stop(Consumer<Runnable> attempt) {
        if (daemons != null) {
            attempt.accept(daemons::drain);
        }
        if (worker != null) {
            attempt.accept(worker::stop);
        }
        if (daemons != null) {
            attempt.accept(daemons::stop);
        }
    }
}
