/**
 * Every line of SQL. One store class per port of core, plain JDBC, the statements in {@code .sql} files
 * beside this package, each with the index it relies on.
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>READ COMMITTED and guarded statements; every statement qualified by schema, under a statement
 *       and a lock timeout, set for the transaction only, so any pool will do.
 *   <li>A failed commit may have committed: each write is idempotent by id, key or token, and is
 *       repeated or read back.
 *   <li>Rows of jobs are locked with SKIP LOCKED except where an outcome is written, and there under a
 *       lock timeout: a user's open {@code completeIn} transaction must not delay anyone else.
 * </ul>
 *
 * <h2>Cursors</h2>
 *
 * Claiming leaves dead index entries behind; under a pinned horizon VACUUM cannot remove them, and a
 * claim that starts at the head of a lane walks them all. So each node keeps a {@link
 * dev.muster.postgres.Cursors cursor} per lane and rank and starts there. What keeps this right:
 *
 * <ul>
 *   <li>{@code ready_at} is stamped when a job becomes claimable, at that moment or later: new, delayed,
 *       retried, released and recovered jobs all appear ahead of every cursor, released and recovered
 *       ones in a rank of their own that is claimed first.
 *   <li>A cursor rises only after the claim that saw the rows has committed, to the last row claimed, or
 *       to the time of the scan when the lane was exhausted.
 *   <li>A scan from the cursor passes by every row that bears the mark of a lock, also of one that was given up without a
 *       change; the scans that start behind the cursor do not. So what a rolled back claim leaves is found by those.
 *   <li>A transaction that commits late appears behind. Scans that start 2 s before the last such scan
 *       find it if it was less late than that (in front of the cursor, and for nothing, while a backlog is
 *       older than that); scans from the very beginning find anything. Both are made as
 *       often as their own cost allows: they take a bounded share of the time, so on a table without
 *       dead rows nearly every idle poll is a full scan.
 * </ul>
 *
 * <h2>Claims and notes</h2>
 *
 * A claim changes no indexed column, so PostgreSQL writes the new version of a row beside the old one and touches no index.
 * What leads from a node or a lease to its jobs is a note per claiming statement in {@code muster_claims}.
 *
 * <pre>
 *   claim ──▶ note names n jobs ──▶ some are over ──▶ none is left ──▶ gone, by its node or the sweep
 *                  └── its time is up: the sweep takes what ran out, and names a new time for the rest
 * </pre>
 *
 * <ul>
 *   <li>Every job with a token is named by a note of its node: both are written by one statement, and the note goes only
 *       when none of its jobs is a current claim of that node.
 *   <li>A note proves nothing. Who holds a job until when is in the job's row, and whoever takes a job away checks token
 *       and lease there, under the row's lock.
 *   <li>A note may outlive its jobs, and a job may be named twice; both are harmless.
 *   <li>Notes are locked with SKIP LOCKED: a node that settles never waits for a sweep.
 * </ul>
 */
@NullMarked
package dev.muster.postgres;

import org.jspecify.annotations.NullMarked;
