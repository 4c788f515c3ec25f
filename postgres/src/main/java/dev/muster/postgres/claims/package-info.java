/**
 * Claims jobs, writes their outcomes, renews leases and takes jobs back from nodes that are gone. {@link dev.muster.postgres}
 * describes cursors, probes and notes.
 *
 * <h2>The exchange</h2>
 *
 * An {@link dev.muster.postgres.claims.ExchangeTransaction} sends up to seven statements in one round trip, always in this order:
 *
 * <pre>
 *   preamble → last progress → jobs that end → jobs that go back → outcomes of features → settled notes → claim
 * </pre>
 *
 * A statement without anything to do is left out. Features add theirs as {@link dev.muster.postgres.claims.FeatureOutcomes}; plain
 * jobs send none of these.
 */
@NullMarked
package dev.muster.postgres.claims;

import org.jspecify.annotations.NullMarked;
