package dev.muster.migrating.quartz;

import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

/** Which kinds of jobs Muster runs by now. */
class Ownership {
    private final Set<String> muster = new CopyOnWriteArraySet<>();

    boolean muster(String job) {
        return muster.contains(job);
    }

    void handOver(String job) {
        muster.add(job);
    }
}
