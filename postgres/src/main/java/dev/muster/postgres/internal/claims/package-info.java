/**
 * Claims jobs, writes their outcomes and renews leases. {@link dev.muster.postgres} describes cursors, probes and notes; jobs of nodes that are gone
 * are taken back by {@link dev.muster.postgres.internal.recovery}.
 *
 * <h2>The exchange</h2>
 *
 * An {@link dev.muster.postgres.internal.claims.ExchangeTransaction} sends up to seven statements in one round trip, always in this order:
 *
 * <pre>
 *   preamble → last progress → jobs that end → jobs that go back → outcomes of features → settled notes → claim
 * </pre>
 *
 * A statement without anything to do is left out. Features add theirs as {@link dev.muster.postgres.internal.claims.FeatureOutcomes}; plain
 * jobs send none of these.
 */
@NullMarked
package dev.muster.postgres.internal.claims;

import org.jspecify.annotations.NullMarked;
