/**
 * Every line of SQL. One store class per port of core, plain JDBC, the statements in {@code .sql} files
 * beside this package, each with the index it relies on.
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>READ COMMITTED and guarded statements; every statement qualified by schema, under a statement
 *       and a lock timeout, set for the transaction only, so any pool will do. The first statement of every
 *       transaction says so: {@link dev.muster.postgres.db.Database#applySettings}, {@link
 *       dev.muster.postgres.db.Database#applyLimits}, or what {@link dev.muster.postgres.db.Database#begin} puts before it.
 *   <li>What is acknowledged is on the disk: {@code synchronous_commit = off} becomes {@code on} for the transaction.
 *   <li>Connections are on {@link dev.muster.postgres.db.BorrowedConnection loan}: one that is inside a transaction is not taken, except for
 *       what HikariCP itself leaves open on a new connection, and each goes back with the autocommit mode and network timeout
 *       it came with.
 *   <li>A failed commit may have committed: each write is idempotent by id, key or token, and is
 *       repeated or read back.
 *   <li>What an SQLSTATE means is decided in {@link dev.muster.postgres.db.SqlStates}, what callers are told in {@link
 *       dev.muster.postgres.db.DatabaseErrors}.
 *   <li>Rows of jobs are locked with SKIP LOCKED except where an outcome is written, and there under a
 *       lock timeout: a user's open {@code completeIn} transaction must not delay anyone else.
 * </ul>
 *
 * <h2>Tables, functions and views</h2>
 *
 * {@code migrations/V…} makes the tables, by subject; {@code migrations/R__…} holds functions and views, each in one place.
 * {@link dev.muster.postgres.schema.Migrations} says when which is applied, CONTRIBUTING.md how they are changed.
 *
 * <h2>Servers</h2>
 *
 * The row in {@code muster_server} says which server the tables were last found on, and counts servers. The count is the
 * timeline of every fence.
 *
 * <pre>
 *   connected ──▶ the row is about this server ──▶ its timeline is the newest seen, or newer ──▶ used
 *       │ it is not: raise the timeline, and        └── it is older: an old primary; rolled back, closed
 *       └── move the sequences on ───────────────────▶ used
 * </pre>
 *
 * <ul>
 *   <li>The timeline never goes back, whatever PostgreSQL's own does, and no two servers have the same.
 *   <li>No token is issued on two servers, so (id, token) names one claim for ever.
 *   <li>Once a process has worked on a timeline, it commits nothing on an older one.
 * </ul>
 *
 * <h2>Connections</h2>
 *
 * A node has one control connection and a pool, both made from the URL by {@link
 * dev.muster.postgres.PostgresConnections}, or both from a DataSource of the host's.
 *
 * <pre>
 *                      ┌── no answer for 6 s, broken ──▶ lost ──▶ logs in, at most twice a second ──┐
 *   control connection ┤                                                                            ├──▶ connected
 *                      └── takes no writes ──▶ refused: the pool is not used ──▶ looks again ───────┘
 * </pre>
 *
 * <ul>
 *   <li>Where the URL names several servers, {@link dev.muster.postgres.PrimaryDataSource} finds the primary, and ends the
 *       connections to the others when it does. Two addresses of one server are the same server: connections through both
 *       live on. Of two primaries that are found at the same time, the one on the newer timeline stays.
 *   <li>When the control connection is back, what the pool has lent since before the loss is ended: it may wait for a
 *       server that never answers.
 *   <li>A pooled connection that refused a write, or leads to an old primary, is ended and never used again; the control
 *       connection then looks at the server.
 *   <li>A node is ready only while its control connection answers and its server takes writes.
 * </ul>
 *
 * <h2>Cursors</h2>
 *
 * Claiming leaves dead index entries behind; under a pinned horizon VACUUM cannot remove them, and a
 * claim that starts at the head of a lane walks them all. So each node keeps a {@link
 * dev.muster.postgres.claims.ClaimCursors cursor} per lane and rank and starts there. What keeps this right:
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
 *       older than that).
 *   <li>What a claim of this node locked and gave up comes next: its cursors go back to where it began, marks of locks are
 *       not trusted until a scan has met none, and a scan that was under way meanwhile raises no cursor.
 *   <li>{@link dev.muster.postgres.claims.BacklogProbe BacklogProbe} find anything else. They claim and lock nothing and are made beside the
 *       claims, as often as their own cost allows; a cursor that has passed something by goes back to it. An idle node
 *       only looks.
 * </ul>
 *
 * <h2>Many lanes</h2>
 *
 * <pre>
 *   unknown ──wake-up, or a look sees a job that is due──▶ due ──a scan finds nothing left──▶ due, asked last
 *      │                                                    ▲                                      │
 *      └──a look sees a job that is not due──▶ later ──its time has come                a look sees nothing: forgotten
 * </pre>
 *
 * <ul>
 *   <li>A claim asks only lanes that are due, and of those at most a hundred (lane, rank) pairs: first those that were said
 *       to have work, by rank, the lanes of a rank in turn. A claim that had to leave some of these out is followed by
 *       another at once.
 *   <li>Only a look makes a lane that is due forgotten, and only one that began after the lane's last wake-up. What a claim passed by, because somebody had it locked, is asked for
 *       again until then.
 *   <li>A lane of which all nodes were told is due when it is this node's turn to ask it. A look before that sees to it, too.
 *   <li>Lanes of paused queues are not due; when a queue runs again, its lanes are woken.
 *   <li>Lanes that are not due are remembered with the time of their first job, the nearest ten thousand of them.
 * </ul>
 *
 * <h2>Jobs for other nodes</h2>
 *
 * Claims and looks pass by the jobs of handlers that this node does not have. A look passes by 50,000 in each lane and rank
 * and goes on there with the next look, which follows soon. A claim that runs out of time gives up what it had locked; its
 * cursors leap to ten seconds ago, looks walk over what lies before that, and what they find for this node sends the cursor
 * back. After that a claim asks for one job at first, so that it ends with it.
 *
 * <h2>Floors</h2>
 *
 * A look has to pass by what is dead, too. So it starts at a floor, which rises from look to look:
 *
 * <pre>
 *   dead for sure │ dead, or may still come │ dead or claimed │ pending
 *   ──────────────┼─────────────────────────┼─────────────────┼────────▶ ready_at
 *               floor                    proposed          cursor
 * </pre>
 *
 * <ul>
 *   <li>A look proposes what it found to be the first pending job, or ten seconds ago if that is earlier, and draws the
 *       number of a transaction. What is claimed but not committed still counts as pending to it, so a claim that is
 *       rolled back later was not passed.
 *   <li>A later look, to which every transaction up to that number is over, and which finds nothing before the proposed
 *       time, makes it the floor. Whoever writes a job after that has read the clock after that, less the time between
 *       reading it and its first write, for which the ten seconds are ample. Where they might not be, the number is drawn
 *       before the clock is read ({@link dev.muster.postgres.jobs.JobInsert}).
 *   <li>A transaction that stays open and has written keeps the floor where it is; one that only reads does not.
 *   <li>If it took several looks to come from the floor to the first job, it is the first of them to which the transactions
 *       must be over.
 *   <li>Floors are forgotten when another server takes over or the clock is set back. Looks from the very beginning are a
 *       net for mistakes, and for jobs that somebody wrote with a time in the past: every ten seconds, or less often where
 *       they would take more than a hundredth of the time.
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
 *
 * <h2>What people ask</h2>
 *
 * <ul>
 *   <li>Lists and counts read a bounded number of rows, along indexes that claims and completions pay for anyway; no index is
 *       there for people alone.
 *   <li>A count that ends at its bound says so. A search that ends before all was looked at says how far back it looked and
 *       where to go on ({@link dev.muster.postgres.jobs.JobSearch}).
 *   <li>Their statements have time limits of seconds ({@code Database.reading}), and an error that says what may be the
 *       reason.
 * </ul>
 */
@NullMarked
package dev.muster.postgres;

import org.jspecify.annotations.NullMarked;
