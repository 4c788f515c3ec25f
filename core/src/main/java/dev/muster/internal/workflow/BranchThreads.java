package dev.muster.internal.workflow;

import dev.muster.internal.workflow.LeaveCode.Park;
import dev.muster.workflow.ContinueAsNew;
import dev.muster.workflow.WorkflowContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Runs the branches of parallel calls: on threads of its own as long as there are some, otherwise on the calling thread, one after the
 * other.
 */
final class BranchThreads {
    private final Semaphore free;
    private final ExecutorService threads;

    /** @param limit how many threads all runs of the node may use together */
    BranchThreads(int limit) {
        this(limit, Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "muster-branch");
            thread.setDaemon(true);
            return thread;
        }));
    }

    BranchThreads(int limit, ExecutorService threads) {
        this.free = new Semaphore(limit);
        this.threads = threads;
    }

    void stop() {
        threads.shutdownNow();
    }

    /** A branch and how it ended. */
    private static final class Running<R> implements Runnable {
        private final Function<WorkflowContext, @Nullable R> code;
        private final Branch branch;
        private final CountDownLatch ended = new CountDownLatch(1);
        private @Nullable Thread thread;
        private @Nullable R value;
        private @Nullable Throwable thrown;

        Running(Function<WorkflowContext, @Nullable R> code, Branch branch) {
            this.code = code;
            this.branch = branch;
        }

        @Override
        public void run() {
            setThread(Thread.currentThread());
            try {
                value = code.apply(branch);
                branch.rethrow();
            } catch (Throwable e) {
                thrown = branch.reasonToLeave(e);
            } finally {
                branch.end();
                setThread(null);
                ended.countDown();
            }
        }

        private synchronized void setThread(@Nullable Thread running) {
            thread = running;
        }

        /** Interrupts the branch's own thread; never one that runs something else by now. */
        synchronized void interrupt() {
            if (thread != null && thread != Thread.currentThread()) {
                thread.interrupt();
            }
        }

        /** Whether it was interrupted, or found that the run cannot continue. */
        boolean isBroken() {
            return thrown instanceof LeaveCode.Broken;
        }
    }

    <R> List<@Nullable R> run(List<Function<WorkflowContext, @Nullable R>> branches, IntFunction<Branch> contexts) {
        List<Running<R>> all = new ArrayList<>();
        for (int i = 0; i < branches.size(); i++) {
            all.add(new Running<>(branches.get(i), contexts.apply(i)));
        }
        List<Running<R>> here = new ArrayList<>();
        for (Running<R> branch : all) {
            boolean last = branch == all.get(all.size() - 1);
            if (last || !begin(branch)) {
                here.add(branch);
            }
        }
        here.forEach(Running::run);
        if (here.stream().anyMatch(Running::isBroken)) {
            // The node stops, or has lost the run: only the thread of the run was told.
            all.forEach(Running::interrupt);
        }
        awaitAll(all);
        return results(all);
    }

    /**
     * Runs a branch on a thread of its own. Returns whether it has begun: not if no more threads may be used, the machine has none left, or the
     * node stops. Branches that have begun before are never left alone for that.
     */
    boolean begin(Runnable branch) {
        if (!free.tryAcquire()) {
            return false;
        }
        Map<String, String> logContext = MDC.getCopyOfContextMap();
        try {
            threads.execute(() -> {
                if (logContext != null) {
                    MDC.setContextMap(logContext);
                }
                try {
                    branch.run();
                } finally {
                    MDC.clear();
                    // Whoever interrupted the branch did not mean the next one on this thread.
                    Thread.interrupted();
                    free.release();
                }
            });
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            free.release();
            return false;
        }
    }

    /** Waits for the ends of all branches, whatever happens: another node may run the same steps only then. */
    private static <R> void awaitAll(List<Running<R>> all) {
        boolean interrupted = false;
        for (Running<R> branch : all) {
            while (branch.ended.getCount() > 0) {
                try {
                    branch.ended.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                    all.forEach(Running::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What cannot continue comes first, then what waits, then what failed, then what continues as a new run; of two of a kind the first branch's. */
    private static <R> List<@Nullable R> results(List<Running<R>> ends) {
        Park park = null;
        Throwable failure = null;
        Throwable continuation = null;
        for (Running<R> end : ends) {
            Throwable thrown = end.thrown;
            if (thrown instanceof Park more) {
                park = park == null ? more : park.and(more);
            } else if (thrown instanceof LeaveCode leaving) {
                throw leaving;
            } else if (ContinueAsNew.in(thrown) != null) {
                continuation = continuation == null ? thrown : continuation;
            } else if (failure == null) {
                failure = thrown;
            } else if (thrown != null && thrown != failure) {
                failure.addSuppressed(thrown);
            }
        }
        if (park != null) {
            throw park;
        }
        Throwable first = failure != null ? failure : continuation;
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            // Functions throw nothing checked.
            throw (RuntimeException) first;
        }
        List<@Nullable R> results = new ArrayList<>();
        ends.forEach(end -> results.add(end.value));
        return results;
    }
}
