/**
 * What keeps a cluster's database in order: the duties of the {@code log_compactor} and of the {@code
 * metrics_aggregator}. Both are fenced, and nothing is lost while nobody does them: days stay a little longer, and
 * figures are made up for from history.
 *
 * <p>Making room for coming days is not among them. Jobs could not end without it, so every worker sees to that.
 */
@NullMarked
package dev.muster.upkeep;

import org.jspecify.annotations.NullMarked;
