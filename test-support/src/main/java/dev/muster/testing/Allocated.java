package dev.muster.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How much memory something takes while it runs, whatever of it is kept: a measure of work that no busy machine changes. */
public final class Allocated {
    private Allocated() {}

    /** How many bytes this thread allocates while it does this. */
    public static long by(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
