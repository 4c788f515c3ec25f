/**
 * Claims jobs, writes their outcomes, renews leases and takes jobs back from nodes that are gone. {@link dev.muster.postgres}
 * describes cursors, probes and notes.
 */
@NullMarked
package dev.muster.postgres.claims;

import org.jspecify.annotations.NullMarked;
