package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.StatementPart;
import java.time.Duration;
import java.util.List;

/**
 * The outcomes that a feature adds to those of plain jobs, and the statements that write them. They are part of the
 * exchange: they are sent after the outcomes of plain jobs and before the claim, in the same transaction, and only if there are
 * such outcomes.
 *
 * <ul>
 *   <li>The statement has to name id and token of each claim in its condition, like {@code jobs/requeue.sql}. That is the guard
 *       against nodes that have lost their claim; nothing else checks it.
 *   <li>After it the job must not be claimed under that token any more, because its note in {@code muster_claims} may be
 *       deleted: it has ended, or is pending, with {@code token} null.
 *   <li>A job that becomes claimable gets {@code ready_at} from the clock, or later; never earlier (see the cursors).
 *   <li>It may be sent twice if the first commit was not acknowledged. Then it matches no row.
 *   <li>If the claim of the exchange fails, or an outcome of the chunk cannot be stored, it is sent again without the claim, and
 *       for smaller and smaller parts of the chunk.
 * </ul>
 */
public interface FeatureOutcomes {
    /** Whether this feature writes this outcome. */
    boolean takes(Outcome.OfFeature outcome);

    /**
     * The statements that write these outcomes. Each has a snapshot of its own, so that one can lock what the next one looks at.
     *
     * @param outcomes those that this feature takes, at least one, sorted by the ids of their jobs
     * @param answer is told, while the answer is read, which of them were written
     */
    List<StatementPart> parts(List<Outcome.OfFeature> outcomes, Answer answer);

    /** Learns which outcomes were written. For the others it is found out whether their claim is lost. */
    interface Answer {
        void written(ClaimRef claim);

        /** The job has ended as cancelled instead, because it was asked to. */
        void cancelled(ClaimRef claim);

        /** A job of this lane became pending and is due after this time: nodes that serve the lane are told after the commit. */
        void pendingAgain(Lane lane, Duration delay);
    }
}
