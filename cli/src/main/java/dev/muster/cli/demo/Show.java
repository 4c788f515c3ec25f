package dev.muster.cli.demo;

import dev.muster.cli.demo.Ledger.Counts;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Enqueues, kills, waits and counts. */
final class Show implements AutoCloseable {
    private static final int BATCH = 500;
    private static final long LOOK_MS = 100;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final DemoCluster cluster;
    private final Jobs jobs;
    private final Ledger ledger;
    private final Progress progress;
    private final int count;
    private boolean killPending;
    private @Nullable Casualty casualty;

    /**
     * A node that was killed.
     *
     * @param held the jobs it had claimed, started or not
     */
    record Casualty(String node, Instant killedAt, Set<JobId> held) {}

    Show(DemoCluster cluster, int count, boolean kill) {
        this.cluster = cluster;
        this.jobs = cluster.session().jobs();
        this.ledger = new Ledger(cluster.url());
        this.progress = new Progress(cluster.terminal(), count);
        this.count = count;
        this.killPending = kill;
    }

    @Override
    public void close() {
        ledger.close();
    }

    Summary run() throws InterruptedException {
        List<JobId> acknowledged = enqueue();
        awaitAll();
        return Summary.of(acknowledged, ledger.account(), casualty);
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

    /** Until every job has ended, or nothing has moved for so long that nothing will. */
    private void awaitAll() throws InterruptedException {
        int lastEnded = -1;
        long lastChange = System.nanoTime();
        while (true) {
            Counts counts = look();
            if (counts.live() == 0 && !killPending) {
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
        boolean midway = counts.ended() >= count * 2 / 5;
        if (killPending && midway) {
            Optional<String> busiest = busiest(ledger.held());
            if (busiest.isPresent() || counts.ended() == count) {
                killPending = false;
                kill(busiest.orElse("node-1"));
            }
        }
        return counts;
    }

    private static Optional<String> busiest(Map<String, Set<JobId>> held) {
        return held.entrySet().stream()
                .max((a, b) -> Integer.compare(a.getValue().size(), b.getValue().size()))
                .map(Map.Entry::getKey);
    }

    private void kill(String id) throws InterruptedException {
        NodeProcess victim = cluster.node(id);
        Instant killedAt = Instant.now();
        victim.kill();
        Set<JobId> held = ledger.held().getOrDefault(id, Set.of());
        casualty = new Casualty(id, killedAt, held);
        progress.event("kill -9 " + id + " (pid " + victim.pid() + ") with " + held.size()
                + " jobs in its hands; the others take them over when its leases of 3 s run out");
    }
}
