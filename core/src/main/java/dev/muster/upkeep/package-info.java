/**
 * What keeps a cluster's database in order: the duties of the {@code log_compactor} and of the {@code
 * metrics_aggregator}. Both are fenced, and nothing is lost while nobody does them: days stay a little longer, and
 * figures are made up for from history.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Every transaction is short, and every tick ends after a bounded time, whatever arrives meanwhile. Days come
 *       before rows: nothing that is walked row by row can keep a day from being dropped.
 *   <li>Who drops a day waits at most 200 ms for those who use it, and tries less and less often while they do, down to
 *       once in ten minutes: all who end jobs wait with it.
 *   <li>A minute of figures is tried once. What takes too long to count is left out.
 *   <li>A key outlives its job by {@code history.key_retain}, which is no longer than history is kept.
 * </ul>
 *
 * <p>Making room for coming days is not among them. Jobs could not end without it, so every worker sees to that.
 */
@NullMarked
package dev.muster.upkeep;

import org.jspecify.annotations.NullMarked;
