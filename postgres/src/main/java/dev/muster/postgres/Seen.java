package dev.muster.postgres;

import dev.muster.job.Lane;
import dev.muster.postgres.Cursors.Hit;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a look saw.
 *
 * @param firsts the first pending jobs of lanes and ranks that it named
 * @param others lanes with pending jobs that it did not name
 * @param server which it was, and when
 * @param running the oldest transaction that was under way
 * @param number greater than that of any transaction that had written anything by then
 */
record Seen(List<Hit> firsts, Collection<Lane> others, ServerTime server, long running, OptionalLong number) {}
