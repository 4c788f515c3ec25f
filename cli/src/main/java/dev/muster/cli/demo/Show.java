package dev.muster.cli.demo;

import dev.muster.cli.demo.Ledger.Counts;
import dev.muster.cli.demo.Ledger.Leader;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs the demo: enqueues jobs, kills nodes, waits for the jobs and counts their outcomes. */
final class Show implements AutoCloseable {
    private static final int BATCH = 500;
    private static final long LOOK_MS = 100;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final DemoCluster cluster;
    private final Jobs jobs;
    private final Ledger ledger;
    private final Progress progress;
    private final int count;
    private final Deque<Double> killsAt = new ArrayDeque<>();
    private final List<Casualty> casualties = new ArrayList<>();
    private @Nullable Failover failover;

    /**
     * A node that was killed.
     *
     * @param held the jobs it had claimed, whether started or not
     */
    record Casualty(String node, Instant killedAt, Set<JobId> held) {}

    /**
     * The death of a leader.
     *
     * @param next the new leader; null if there is none yet
     */
    record Failover(String dead, Instant killedAt, @Nullable Leader next) {}

    /** @param kill whether to kill a worker and then the leader; with two nodes only the leader, so that one is left */
    Show(DemoCluster cluster, int count, boolean kill) {
        this.cluster = cluster;
        this.jobs = cluster.session().jobs();
        this.ledger = new Ledger(cluster.url());
        this.progress = new Progress(cluster.terminal(), count);
        this.count = count;
        if (kill) {
            killsAt.addAll(cluster.nodesAlive() > 2 ? List.of(0.35, 0.6) : List.of(0.4));
        }
    }

    @Override
    public void close() {
        ledger.close();
    }

    Summary run() throws InterruptedException {
        List<JobId> acknowledged = enqueue();
        awaitAll();
        return Summary.of(acknowledged, ledger.account(), casualties, failover);
    }

    private List<JobId> enqueue() throws InterruptedException {
        List<JobRequest> requests = DemoJobs.mix(count);
        List<JobId> acknowledged = new ArrayList<>();
        long begin = System.nanoTime();
        for (int from = 0; from < count; from += BATCH) {
            acknowledged.addAll(jobs.enqueueAll(requests.subList(from, Math.min(from + BATCH, count))));
            look();
        }
        progress.event("all " + count + " jobs enqueued and acknowledged after " + DemoCluster.seconds(begin));
        return acknowledged;
    }

    /** Waits until every job has ended, or no job has ended for a long time. */
    private void awaitAll() throws InterruptedException {
        int lastEnded = -1;
        long lastChange = System.nanoTime();
        while (true) {
            Counts counts = look();
            if (counts.live() == 0 && killsAt.isEmpty() && (failover == null || failover.next() != null)) {
                progress.event("all jobs have ended");
                return;
            }
            if (counts.ended() != lastEnded) {
                lastEnded = counts.ended();
                lastChange = System.nanoTime();
            } else if (System.nanoTime() - lastChange > PATIENCE_NANOS) {
                progress.event("nothing has moved for " + DemoCluster.seconds(lastChange) + "; giving up on "
                        + counts.live() + " jobs");
                return;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    private Counts look() throws InterruptedException {
        Counts counts = ledger.counts();
        progress.show(counts.ended(), cluster.nodesAlive());
        if (!killsAt.isEmpty() && counts.ended() >= count * killsAt.element()) {
            tryKill(counts.ended() >= count);
        }
        if (failover != null && failover.next() == null) {
            lookForNextLeader(failover);
        }
        return counts;
    }

    /**
     * Kills the leader last; before that, the other node that holds the most jobs. Waits until the node holds jobs, unless all have
     * ended, so that there is something to recover.
     */
    private void tryKill(boolean allEnded) throws InterruptedException {
        Optional<Leader> leader = ledger.leader();
        if (leader.isEmpty()) {
            return;
        }
        String leads = leader.get().node();
        Map<String, Set<JobId>> held = ledger.held();
        if (killsAt.size() == 1) {
            if (held.containsKey(leads) || allEnded) {
                killsAt.remove();
                failover = new Failover(leads, kill(leads, "the leader"), null);
            }
            return;
        }
        held.keySet().remove(leads);
        Optional<String> victim = busiest(held);
        if (victim.isPresent() || allEnded) {
            killsAt.remove();
            kill(victim.orElseGet(() -> cluster.anyBut(leads)), "a worker");
        }
    }

    private static Optional<String> busiest(Map<String, Set<JobId>> held) {
        return held.entrySet().stream()
                .max((a, b) -> Integer.compare(a.getValue().size(), b.getValue().size()))
                .map(Map.Entry::getKey);
    }

    private Instant kill(String id, String what) throws InterruptedException {
        NodeProcess victim = cluster.node(id);
        Instant killedAt = Instant.now();
        victim.kill();
        Set<JobId> held = ledger.held().getOrDefault(id, Set.of());
        casualties.add(new Casualty(id, killedAt, held));
        progress.event("kill -9 " + id + " (" + what + ", pid " + victim.pid() + ") with " + held.size()
                + " jobs in its hands");
        return killedAt;
    }

    private void lookForNextLeader(Failover open) {
        ledger.leader().filter(leader -> !leader.node().equals(open.dead())).ifPresent(next -> {
            failover = new Failover(open.dead(), open.killedAt(), next);
            progress.event(next.node() + " leads now");
        });
    }
}
