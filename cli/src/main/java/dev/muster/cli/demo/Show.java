package dev.muster.cli.demo;

import dev.muster.cli.demo.Ledger.Counts;
import dev.muster.cli.demo.Ledger.Leader;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.workflow.Workflows;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Runs the demo: enqueues jobs and starts orders, kills nodes, waits for all of them and counts their outcomes and effects. */
final class Show implements AutoCloseable {
    private static final int BATCH = 500;
    private static final long LOOK_MS = 100;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final DemoCluster cluster;
    private final Jobs jobs;
    private final Workflows workflows;
    private final DemoOrders orders = new DemoOrders();
    private final Ledger ledger;
    private final Progress progress;
    private final int count;
    private final int orderCount;
    private final Deque<Double> killsAt = new ArrayDeque<>();
    private final List<Casualty> casualties = new ArrayList<>();
    private @Nullable Failover failover;

    /**
     * A node that was killed.
     *
     * @param held the jobs and orders it had claimed, whether started or not
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
        this.workflows = cluster.session().muster().workflows();
        this.count = count;
        this.orderCount = DemoOrders.countFor(count);
        this.progress = new Progress(cluster.terminal(), all());
        if (kill) {
            killsAt.addAll(cluster.nodesAlive() > 2 ? List.of(0.35, 0.6) : List.of(0.4));
        }
    }

    private int all() {
        return count + orderCount;
    }

    @Override
    public void close() {
        ledger.close();
    }

    Summary run() throws InterruptedException {
        List<JobId> acknowledged = enqueue();
        awaitAll();
        Set<JobId> held = new HashSet<>();
        casualties.forEach(casualty -> held.addAll(casualty.held()));
        return Summary.of(acknowledged, ledger.account(), casualties, failover, orders.tally(ledger.orders(), held));
    }

    private List<JobId> enqueue() throws InterruptedException {
        List<JobRequest> requests = DemoJobs.mix(count);
        List<JobId> acknowledged = new ArrayList<>();
        long begin = System.nanoTime();
        for (int from = 0; from < count; from += BATCH) {
            int to = Math.min(from + BATCH, count);
            startOrders(ordersUntil(from), ordersUntil(to));
            acknowledged.addAll(jobs.enqueueAll(requests.subList(from, to)));
            look();
        }
        progress.event("all " + count + " jobs and " + orderCount + " orders acknowledged after "
                + DemoCluster.seconds(begin));
        return acknowledged;
    }

    /** Orders are spread evenly over the jobs. */
    private int ordersUntil(int job) {
        return (int) ((long) orderCount * job / count);
    }

    private void startOrders(int after, int to) {
        List<Integer> numbers = IntStream.rangeClosed(after + 1, to).boxed().toList();
        orders.started(numbers, workflows.startAll(DemoOrders.requests(numbers)));
    }

    /** Waits until every job has ended, or no job has ended for a long time. */
    private void awaitAll() throws InterruptedException {
        int lastEnded = -1;
        long lastChange = System.nanoTime();
        while (true) {
            Counts counts = look();
            if (counts.live() == 0 && killsAt.isEmpty() && (failover == null || failover.next() != null)) {
                progress.event("all jobs and orders have ended");
                return;
            }
            if (counts.ended() != lastEnded) {
                lastEnded = counts.ended();
                lastChange = System.nanoTime();
            } else if (System.nanoTime() - lastChange > PATIENCE_NANOS) {
                progress.event("nothing has moved for " + DemoCluster.seconds(lastChange) + "; giving up on "
                        + counts.live() + " jobs and orders");
                return;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    private Counts look() throws InterruptedException {
        Counts counts = ledger.counts();
        progress.show(counts.ended(), cluster.nodesAlive());
        if (!killsAt.isEmpty() && counts.ended() >= all() * killsAt.element()) {
            tryKill(counts.ended() >= all());
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
        long heldOrders = held.stream().filter(orders.ids()::contains).count();
        progress.event("kill -9 " + id + " (" + what + ", pid " + victim.pid() + ") with " + (held.size() - heldOrders)
                + " jobs and " + heldOrders + " orders in its hands");
        return killedAt;
    }

    private void lookForNextLeader(Failover open) {
        ledger.leader().filter(leader -> !leader.node().equals(open.dead())).ifPresent(next -> {
            failover = new Failover(open.dead(), open.killedAt(), next);
            progress.event(next.node() + " leads now");
        });
    }
}
