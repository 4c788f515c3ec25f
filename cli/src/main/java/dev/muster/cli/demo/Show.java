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
import java.util.Comparator;
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

    private final DemoCluster cluster;
    private final Jobs jobs;
    private final Workflows workflows;
    private final DemoOrders orders = new DemoOrders();
    private final Ledger ledger;
    private final Progress progress;
    private final int count;
    private final int orderCount;
    private final Deque<Double> killsAt = new ArrayDeque<>();

    /** How many parts of the orders have not been started. */
    private int partsOfOrders;

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
        this.workflows = cluster.session().cluster().workflows();
        this.count = count;
        this.orderCount = DemoOrders.countFor(count);
        this.progress = new Progress(cluster.terminal(), all());
        if (kill) {
            killsAt.addAll(cluster.nodesAlive() > 2 ? List.of(0.35, 0.6) : List.of(0.4));
        }
        partsOfOrders = killsAt.size() + 1;
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
        startOrders();
        for (int from = 0; from < count; from += BATCH) {
            int to = Math.min(from + BATCH, count);
            acknowledged.addAll(jobs.enqueueAll(requests.subList(from, to)));
            look();
        }
        progress.event("all " + count + " jobs acknowledged after " + DemoCluster.seconds(begin));
        return acknowledged;
    }

    /** Starts the orders in equal parts: the first with the jobs, the others just before each kill, so that there are some to interrupt. */
    private void startOrders() {
        int after = orders.ids().size();
        List<Integer> numbers = IntStream.rangeClosed(after + 1, after + (orderCount - after) / partsOfOrders)
                .boxed()
                .toList();
        orders.started(numbers, workflows.startAll(DemoOrders.requests(numbers)));
        partsOfOrders--;
        progress.event(numbers.size() + " orders acknowledged");
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
            } else if (System.nanoTime() - lastChange > Patience.toMove().toNanos()) {
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
            if (partsOfOrders == killsAt.size()) {
                startOrders();
            } else {
                tryKill(counts);
            }
        }
        if (failover != null && failover.next() == null) {
            lookForNextLeader(failover);
        }
        return counts;
    }

    /**
     * Kills the leader last; before that, the other node that holds the most. Waits until the node holds orders, or at least jobs
     * if no more orders are to be had, unless all have ended: so there is something to recover.
     */
    private void tryKill(Counts counts) throws InterruptedException {
        Optional<Leader> leader = ledger.leader();
        if (leader.isEmpty()) {
            return;
        }
        String leads = leader.get().node();
        Map<String, Set<JobId>> held = ledger.held();
        long claimedOrders = held.values().stream().mapToLong(this::ordersAmong).sum();
        if (claimedOrders < counts.liveOrders()) {
            // Others wait to be claimed: a node without orders may get some.
            held.values().removeIf(claimed -> ordersAmong(claimed) == 0);
        }
        boolean allEnded = counts.live() == 0;
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

    private long ordersAmong(Set<JobId> claimed) {
        return claimed.stream().filter(orders.ids()::contains).count();
    }

    /** The node that holds the most orders, and of several the one that holds the most jobs. */
    private Optional<String> busiest(Map<String, Set<JobId>> held) {
        Comparator<Map.Entry<String, Set<JobId>>> byOrders = Comparator.comparingLong(e -> ordersAmong(e.getValue()));
        return held.entrySet().stream()
                .max(byOrders.thenComparingInt(e -> e.getValue().size()))
                .map(Map.Entry::getKey);
    }

    private Instant kill(String id, String what) throws InterruptedException {
        NodeProcess victim = cluster.node(id);
        Instant killedAt = Instant.now();
        victim.kill();
        Set<JobId> held = ledger.held().getOrDefault(id, Set.of());
        casualties.add(new Casualty(id, killedAt, held));
        long heldOrders = ordersAmong(held);
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
