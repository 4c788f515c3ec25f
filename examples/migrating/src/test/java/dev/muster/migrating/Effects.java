package dev.muster.migrating;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** What the jobs of a test did, whichever library ran them. */
public final class Effects {
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private volatile CountDownLatch released = new CountDownLatch(0);

    public void add(String effect) {
        seen.add(effect);
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** From now on jobs do not end before they are released. */
    public void hold() {
        released = new CountDownLatch(1);
    }

    public void release() {
        released.countDown();
    }

    public List<String> all() {
        return List.copyOf(seen);
    }

    public List<String> startingWith(String prefix) {
        return seen.stream().filter(effect -> effect.startsWith(prefix)).toList();
    }

    /** The mails alone. On this machine's clock a cron of the example may have its time during the test. */
    public List<String> sent() {
        return seen.stream().filter(effect -> effect.contains(" sent ")).toList();
    }
}
