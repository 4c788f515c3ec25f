package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimFilter;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * The result of a probe.
 *
 * @param firsts the first pending jobs for this node that are ready within two minutes, in the lanes and ranks that the probe named
 * @param walked how far the probe got in lanes and ranks where it met only jobs for other nodes and stopped
 * @param others the first pending jobs for any node, in lanes and ranks that the probe did not name
 * @param beyond when the first job is ready, for whichever node, among those that were left out because they are ready in more than
 *     two minutes
 * @param server the server that answered, and its clock
 * @param claimers how many nodes hold claims and claim the same jobs as this one
 * @param running the oldest transaction that was under way
 * @param number greater than the number of any transaction that had written by then
 */
public record ProbeResult(
        List<FoundJob> firsts,
        List<FoundJob> walked,
        Collection<FoundJob> others,
        OptionalLong beyond,
        ServerTime server,
        int claimers,
        long running,
        OptionalLong number) {

    /** What of it concerns a session with this filter. */
    ProbeResult within(ClaimFilter filter) {
        return new ProbeResult(
                within(filter, firsts),
                within(filter, walked),
                within(filter, others),
                beyond,
                server,
                claimers,
                running,
                number);
    }

    private static List<FoundJob> within(ClaimFilter filter, Collection<FoundJob> found) {
        return found.stream().filter(job -> filter.serves(job.lane())).toList();
    }

    /** Whether there is no job for this node that is ready within two minutes, and no lane in which the probe stopped before it knew. */
    boolean foundNothing() {
        return firsts.isEmpty() && walked.isEmpty();
    }
}
