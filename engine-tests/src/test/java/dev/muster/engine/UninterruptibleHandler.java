package dev.muster.engine;

import dev.muster.job.Job;
import java.util.concurrent.CountDownLatch;

/** A handler that ignores its timeout and every interruption until it is released. */
public final class UninterruptibleHandler {
    public final CountDownLatch release = new CountDownLatch(1);

    @Job(value = "stubborn", timeout = "100ms", maxAttempts = 1)
    String stubborn() {
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException e) {
                continue;
            }
        }
        return "too late";
    }
}
