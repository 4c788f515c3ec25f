package dev.muster.worker;

import dev.muster.job.JobId;
import dev.muster.job.JobStore;
import dev.muster.job.Lane;
import dev.muster.job.Outcome;
import dev.muster.runtime.MusterException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frees jobs that waited for one that has ended. What is missed here, a sweep finds. */
final class Dependents {
    private static final Logger log = LoggerFactory.getLogger(Dependents.class);

    private final JobStore store;
    private final Consumer<Set<Lane>> newWork;

    Dependents(JobStore store, Consumer<Set<Lane>> newWork) {
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
        try {
            Set<Lane> lanes = store.resolveDependents(jobs);
            if (!lanes.isEmpty()) {
                newWork.accept(lanes);
            }
        } catch (MusterException e) {
            log.debug("dependents of {} jobs are left to the sweep", jobs.size(), e);
        }
    }
}
