package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Fence;
import dev.muster.lock.HeldLock;
import dev.muster.lock.Locks;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * At most one process in the cluster holds a named lock, until it is released or its time is up. Of two holders the later
 * one has the higher fence.
 *
 * <pre>
 * second holder: none
 * exported, with a higher fence: true
 * locks that are held now: 0
 * </pre>
 */
final class ClusterLock implements Example {

    private final List<Fence> fences = new ArrayList<>();

    private void export(Fence fence) {
        fences.add(fence);
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster = Muster.builder().dataSource(database).build()) {
            muster.start();
            Locks locks = muster.locks();
            HeldLock first =
                    locks.tryAcquire("nightly-export", Duration.ofMinutes(5)).orElseThrow();
            Optional<HeldLock> refused = locks.tryAcquire("nightly-export", Duration.ofMinutes(5));
            out.println("second holder: " + refused.map(HeldLock::name).orElse("none"));
            first.release();

            Optional<HeldLock> lock = locks.tryAcquire("nightly-export", Duration.ofMinutes(5));
            lock.ifPresent(held -> {
                try (held) {
                    export(held.fence());
                }
            });
            boolean higher = fences.get(0).compareTo(first.fence()) > 0;
            out.println("exported, with a higher fence: " + higher);
            out.println("locks that are held now: " + locks.list().size());
        }
    }
}
