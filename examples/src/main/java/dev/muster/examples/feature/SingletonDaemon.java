package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.daemon.DaemonInfo;
import dev.muster.job.Fence;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;

/**
 * A daemon runs all the time, on one node of the cluster, and moves to another node when that one stops. The new instance
 * has a higher fence: a store that refuses lower fences takes no write of the old instance after one of the new.
 *
 * <pre>
 * running on 1 of 2 nodes
 * moved to the other node: true
 * higher fence: true
 * </pre>
 */
final class SingletonDaemon implements Example {
    record Start(String node, Fence fence) {}

    private final BlockingQueue<Start> starts = new LinkedBlockingQueue<>();

    @Daemon
    void priceFeed(DaemonContext ctx) {
        starts.add(new Start(ctx.nodeId(), ctx.fence()));
        while (!ctx.awaitShutdown(Duration.ofMillis(100))) { // true as soon as the daemon is to stop
            // fetch prices, and write them together with ctx.fence()
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster one = Muster.builder().dataSource(database).register(this).build();
                Muster two =
                        Muster.builder().dataSource(database).register(this).build()) {
            one.start();
            two.start();
            Start first = starts.take();
            long running = one.daemons().list().stream()
                    .filter(daemon -> daemon.status() == DaemonInfo.Status.RUNNING)
                    .count();
            out.println("running on " + running + " of " + one.nodes().size() + " nodes");

            (first.node().equals(one.nodeId()) ? one : two).close();
            Start second = starts.take();
            out.println("moved to the other node: " + !second.node().equals(first.node()));
            out.println("higher fence: " + (second.fence().compareTo(first.fence()) > 0));
        }
    }
}
