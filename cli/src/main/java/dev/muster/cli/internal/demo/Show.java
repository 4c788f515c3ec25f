package dev.muster.cli.internal.demo;

import dev.muster.cli.internal.demo.Ledger.Counts;
import dev.muster.cli.internal.demo.Ledger.Leader;
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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Runs the demo: enqueues jobs and starts orders, kills nodes, waits for all of them and counts their outcomes and effects. */
final class Show implements AutoCloseable {
    private static final int CHUNK = 500;
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

    /** The orders that have not been started, in parts: one for the beginning, and one for each kill. */
    private final Deque<Deque<Integer>> ordersToCome = new ArrayDeque<>();

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
        int parts = killsAt.size() + 1;
        for (int part = 0; part < parts; part++) {
            ordersToCome.add(IntStream.rangeClosed(part * orderCount / parts + 1, (part + 1) * orderCount / parts)
                    .boxed()
                    .collect(Collectors.toCollection(ArrayDeque::new)));
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
        startOrders();
        for (int from = 0; from < count; from += CHUNK) {
            int to = Math.min(from + CHUNK, count);
            acknowledged.addAll(jobs.enqueueAll(requests.subList(from, to)));
            look();
        }
        progress.event("all " + count + " jobs acknowledged after " + DemoCluster.seconds(begin));
        return acknowledged;
    }

    /** Starts what is left of the next part. */
    private void startOrders() {
        Deque<Integer> part = ordersToCome.remove();
        start(List.copyOf(part));
        progress.event(orders.ids().size() + " of " + orderCount + " orders acknowledged");
    }

    private void start(List<Integer> numbers) {
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
            tryKill(counts);
        }
        if (failover != null && failover.next() == null) {
            lookForNextLeader(failover);
        }
        return counts;
    }

    /**
     * Kills the leader last; before that, the other node that holds the most. There is something to recover, however busy the machine is:
     * meanwhile no order can end, and orders are started one by one until the victim holds one. If a busy victim leaves all of them to others,
     * it holds the jobs that keep it busy.
     */
    private void tryKill(Counts counts) throws InterruptedException {
        Optional<Leader> leader = ledger.leader();
        if (leader.isEmpty() || !ledger.holdOrders()) {
            return;
        }
        String leads = leader.get().node();
        boolean last = killsAt.size() == 1;
        Map<String, Set<JobId>> held = ledger.held();
        long claimedOrders = held.values().stream().mapToLong(this::ordersAmong).sum();
        held.keySet().removeIf(node -> node.equals(leads) != last);
        Optional<String> victim = busiest(held);
        if (victim.filter(node -> ordersAmong(held.get(node)) > 0).isEmpty()) {
            if (claimedOrders < counts.liveOrders()) {
                return; // Somebody is about to claim them.
            }
            if (!ordersToCome.element().isEmpty()) {
                start(List.of(ordersToCome.element().remove()));
                return;
            }
            if (victim.isEmpty() && counts.live() > 0) {
                ledger.releaseOrders(); // All orders are in other hands, and must be able to end.
                return;
            }
        }
        killsAt.remove();
        String id = victim.orElseGet(() -> last ? leads : cluster.anyBut(leads));
        Instant killedAt = kill(id, last ? "the leader" : "a worker");
        if (last) {
            failover = new Failover(leads, killedAt, null);
        }
        ledger.releaseOrders();
        startOrders();
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
