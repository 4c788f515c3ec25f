/**
 * Maintenance of the database: the work of the leaders {@code log_compactor} (deletes what is older than its retention) and {@code
 * metrics_aggregator} (computes the metrics of each minute), and, with {@code worker.age_after}, of the leader {@code scheduler} (lifts jobs
 * that wait behind higher priorities). All write in fenced transactions. Nothing is lost while nobody
 * leads: days are kept a little longer, missed metrics are computed from history later, and jobs wait
 * a little longer.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Every transaction is short, and every tick ends after a bounded time, whatever arrives meanwhile. Days are dropped
 *       before single rows are deleted, so that a long walk through a table cannot keep a day from being dropped.
 *   <li>Dropping a day waits at most 200 ms for transactions that use the day, because every node that ends jobs waits with it.
 *       While the day stays in use, it is tried less and less often, down to once in ten minutes.
 *   <li>The metrics of a minute are tried once. A minute that takes too long to count is left out.
 *   <li>A job is lifted by one priority at a time, and only if no node holds it and it has waited for {@code age_after} where it is. So two
 *       leaders that overlap lift it once.
 *   <li>Lifting never starts at the beginning of a lane, except for a search that takes at most a twentieth of the time.
 *   <li>A key outlives its job by {@code history.key_retain}, which is no longer than history is kept.
 * </ul>
 *
 * <p>Creating partitions for coming days is not part of maintenance: jobs could not end without them, so every worker does that.
 */
@NullMarked
package dev.muster.internal.maintenance;

import org.jspecify.annotations.NullMarked;
