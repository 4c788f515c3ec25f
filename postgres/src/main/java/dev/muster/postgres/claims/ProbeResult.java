package dev.muster.postgres.claims;

import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a look saw.
 *
 * @param firsts the first pending jobs, of lanes and ranks that it named, that are for this node
 * @param walked how far it came in those in which there were only others, and more of them
 * @param others the first pending jobs, whomever they are for, of lanes and ranks that it did not name
 * @param beyond when the first job is ready of lanes that are not among those because that is far away
 * @param server which it was, and when
 * @param claimers nodes that hold claims and look for the same jobs as this one
 * @param running the oldest transaction that was under way
 * @param number greater than that of any transaction that had written anything by then
 */
public record ProbeResult(
        List<FoundJob> firsts,
        List<FoundJob> walked,
        Collection<FoundJob> others,
        OptionalLong beyond,
        ServerTime server,
        int claimers,
        long running,
        OptionalLong number) {}
