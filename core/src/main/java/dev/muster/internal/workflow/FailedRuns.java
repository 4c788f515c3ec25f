package dev.muster.internal.workflow;

import dev.muster.internal.workflow.WorkflowStore.EndedParent;
import dev.muster.internal.workflow.WorkflowStore.FailedRun;
import dev.muster.internal.workflow.WorkflowStore.FutileChild;
import dev.muster.internal.workflow.WorkflowStore.Retry;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.RunStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Retries failed runs, each with the children whose failure has ended it. */
final class FailedRuns {
    /** How many runs are retried in one transaction: a run and, below it, the children that have ended it. */
    private static final int MAX_RETRIED = 1_000;

    /** Of all of them together: one transaction forgets them. A single run never has that many. */
    private static final int MAX_FORGOTTEN = 100_000;

    private static final int TRIES = 5;

    private final WorkflowStore store;

    FailedRuns(WorkflowStore store) {
        this.store = store;
    }

    /** The run has failed, and cannot be retried. */
    static final class Refused extends MusterException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    /**
     * Lets a failed run continue.
     *
     * @return the lanes of the new drivers; empty if the run has not failed
     */
    Set<Lane> retry(JobId run) {
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            List<Retry> tree = new ArrayList<>();
            collect(run, tree);
            if (tree.isEmpty()) {
                return Set.of();
            }
            EndedParent parent = tree.get(0).seen().parent();
            if (parent != null) {
                throw new Refused(alone(run, parent));
            }
            Set<Lane> lanes = store.retry(tree);
            if (!lanes.isEmpty()) {
                return lanes;
            }
            // Somebody else has retried one of them since this has looked at it.
        }
        throw new MusterException(
                "run " + run + " or one of its children is being retried by somebody else; look at it again");
    }

    private static String alone(JobId child, EndedParent parent) {
        return "run " + child + " cannot be retried alone: its parent run " + parent.id() + " ended as "
                + parent.status().text() + ", and asks its children to end; "
                + (parent.status() == RunStatus.FAILED
                        ? "retry run " + parent.id() + ", and this one continues with it if its failure has ended it"
                        : "start a new run instead");
    }

    /** The run and, below it, its children whose failure has ended it. */
    private void collect(JobId run, List<Retry> tree) {
        FailedRun failed = store.failedRun(run).orElse(null);
        if (failed == null) {
            return;
        }
        if (tree.size() >= MAX_RETRIED) {
            throw new Refused("more than " + MAX_RETRIED + " runs would be retried together; start a new run instead");
        }
        failed.futile().stream().findFirst().ifPresent(child -> {
            throw new Refused(futile(run, child));
        });
        Retry retry = new Retry(failed.withoutPaths(), StepPaths.toForget(failed.paths(), failed.failedSteps()));
        tree.add(retry);
        if (tree.stream().mapToInt(each -> each.forget().size()).sum() > MAX_FORGOTTEN) {
            throw new Refused("more than " + MAX_FORGOTTEN + " steps of " + tree.size()
                    + " runs would be run again together; start a new run instead");
        }
        failed.children().values().forEach(child -> collect(child, tree));
    }

    private static String futile(JobId parent, FutileChild child) {
        RunStatus end = child.endedAs();
        return "run " + parent + " cannot be retried: its step " + child.path() + " failed because of the child run "
                + child.id() + " ('" + child.workflow() + "'), which "
                + (end == null ? "is not stored any more" : "ended as " + end.text() + " and does not run again")
                + "; start a new run instead";
    }
}
