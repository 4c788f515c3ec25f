package dev.muster.internal.worker;

import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.Loop;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frees jobs that waited for a job that has ended. A sweep finds those that are missed here. */
final class Dependents {
    private static final Logger log = LoggerFactory.getLogger(Dependents.class);

    private static final int AT_ONCE = 1_000;
    private static final Duration IDLE = Duration.ofMinutes(10);

    private final DependencyStore store;
    private final Consumer<Set<Lane>> newWork;
    private final Queue<JobId> rest = new ConcurrentLinkedQueue<>();
    private final Queue<JobId> elsewhere = new ConcurrentLinkedQueue<>();
    private final Loop loop = new Loop("dependents", this::resolveRest);

    Dependents(DependencyStore store, Consumer<Set<Lane>> newWork) {
        this.store = store;
        this.newWork = newWork;
    }

    void written(List<Outcome> outcomes) {
        List<JobId> ended = new ArrayList<>(outcomes.size());
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Completed
                    || outcome instanceof Outcome.Failed
                    || outcome instanceof Outcome.Cancelled) {
                ended.add(outcome.claim().id());
            }
        }
        ended(ended);
    }

    void ended(Collection<JobId> jobs) {
        List<JobId> left = resolve(jobs);
        if (!left.isEmpty()) {
            rest.addAll(left);
            loop.wake();
        }
    }

    /**
     * These jobs have ended, and no pump has written their outcome, so the places that they may have left in groups are filled as well. Does not
     * wait for the database.
     */
    void endedElsewhere(Collection<JobId> jobs) {
        if (!jobs.isEmpty()) {
            elsewhere.addAll(jobs);
            loop.wake();
        }
    }

    /** Returns the jobs that have more dependents left. */
    private List<JobId> resolve(Collection<JobId> jobs) {
        List<JobId> left = new ArrayList<>();
        try {
            Set<Lane> lanes = store.resolveSomeDependents(jobs, left);
            if (!lanes.isEmpty()) {
                newWork.accept(lanes);
            }
        } catch (MusterException e) {
            log.debug("dependents of {} jobs are left to the sweep", jobs.size(), e);
        }
        return left;
    }

    private Duration resolveRest() {
        resolveElsewhere(some(elsewhere));
        rest.addAll(resolve(some(rest)));
        return rest.isEmpty() && elsewhere.isEmpty() ? IDLE : Duration.ZERO;
    }

    private void resolveElsewhere(List<JobId> jobs) {
        try {
            Set<Lane> lanes = jobs.isEmpty() ? Set.of() : store.resolveDependents(jobs);
            if (!lanes.isEmpty()) {
                newWork.accept(lanes);
            }
        } catch (MusterException e) {
            log.debug("what {} ended jobs have left behind is left to the sweep", jobs.size(), e);
        }
    }

    private static List<JobId> some(Queue<JobId> queue) {
        List<JobId> jobs = new ArrayList<>();
        JobId next;
        while (jobs.size() < AT_ONCE && (next = queue.poll()) != null) {
            jobs.add(next);
        }
        return jobs;
    }

    /** Frees dependents that are too many for the pump that wrote the outcome. */
    Loop loop() {
        return loop;
    }
}
