package dev.muster.workflow;

import dev.muster.workflow.LeaveCode.Park;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs the branches of parallel calls: on threads of its own as long as there are some, otherwise on the calling thread, one after the
 * other.
 */
final class BranchThreads {
    private final Semaphore free;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "muster-branch");
        thread.setDaemon(true);
        return thread;
    });

    /** @param limit how many threads all runs of the node may use together */
    BranchThreads(int limit) {
        this.free = new Semaphore(limit);
    }

    void stop() {
        threads.shutdownNow();
    }

    /** A branch and how it ended. */
    private static final class Running<R> implements Runnable {
        private final Function<WorkflowContext, @Nullable R> code;
        private final Branch branch;
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile @Nullable Thread thread;
        private @Nullable R value;
        private @Nullable Throwable thrown;

        Running(Function<WorkflowContext, @Nullable R> code, Branch branch) {
            this.code = code;
            this.branch = branch;
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            try {
                value = code.apply(branch);
                branch.rethrow();
            } catch (Throwable e) {
                thrown = e;
            } finally {
                thread = null;
                ended.countDown();
            }
        }

        void interrupt() {
            Thread running = thread;
            if (running != null) {
                running.interrupt();
            }
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
            if (!last && free.tryAcquire()) {
                threads.execute(() -> {
                    try {
                        branch.run();
                    } finally {
                        free.release();
                    }
                });
            } else {
                here.add(branch);
            }
        }
        here.forEach(Running::run);
        awaitAll(all);
        return results(all);
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

    /** What cannot go on comes first, then what waits, then what failed. */
    private static <R> List<@Nullable R> results(List<Running<R>> ends) {
        Park park = null;
        Throwable failure = null;
        for (Running<R> end : ends) {
            Throwable thrown = end.thrown;
            if (thrown instanceof Park more) {
                park = park == null ? more : park.and(more);
            } else if (thrown instanceof LeaveCode leaving) {
                throw leaving;
            } else if (failure == null) {
                failure = thrown;
            }
        }
        if (park != null) {
            throw park;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            // Functions throw nothing checked.
            throw (RuntimeException) failure;
        }
        List<@Nullable R> results = new ArrayList<>();
        ends.forEach(end -> results.add(end.value));
        return results;
    }
}
