/**
 * The PostgreSQL store: all SQL of Muster. There is one store class per port of core, with plain JDBC. The statements are in
 * {@code .sql} files beside this package, each with the index it relies on.
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>Transactions are READ COMMITTED and statements are guarded. Every statement is qualified by schema and runs under a
 *       statement timeout and a lock timeout, which are set for the transaction only, so that any pool can be used. The first
 *       statement of every transaction sets them: {@link dev.muster.postgres.internal.db.Database#applySettings}, {@link
 *       dev.muster.postgres.internal.db.Database#applyTimeLimits}, or what {@link dev.muster.postgres.internal.db.Database#begin} puts before it.
 *   <li>What is acknowledged is on disk: {@code synchronous_commit = off} becomes {@code on} for the transaction.
 *   <li>Connections are {@link dev.muster.postgres.internal.db.PoolConnection borrowed}: one that is inside a transaction is not
 *       taken, except for what HikariCP itself leaves open on a new connection, and each is returned with the autocommit mode
 *       and network timeout that it came with.
 *   <li>A commit that failed may have committed: each write is idempotent by id, key or token, and is repeated or read back.
 *   <li>{@link dev.muster.postgres.internal.db.SqlStates} decides what an SQLSTATE means, {@link
 *       dev.muster.postgres.internal.db.DatabaseErrors} what callers are told.
 *   <li>Rows of jobs are locked with SKIP LOCKED, except where an outcome is written, and there under a lock timeout: a user's
 *       open {@code completeIn} transaction must not delay other jobs.
 * </ul>
 *
 * <h2>Tables, functions and views</h2>
 *
 * {@code migrations/V…} creates the tables, by subject; {@code migrations/R__…} contains functions and views, each in one place.
 * A statement file {@code call_….sql} does nothing but call a function: the rule is in the function.
 * {@link dev.muster.postgres.internal.schema.Migrations} describes when each is applied, CONTRIBUTING.md how they are changed.
 *
 * <h2>Servers and timelines</h2>
 *
 * The row in {@code muster_server} records on which server the tables were last found, and counts servers. The count is the
 * timeline of every fence.
 *
 * <pre>
 *   connected ──▶ the row is about this server ──▶ its timeline is the newest seen, or newer ──▶ used
 *       │ it is not: raise the timeline, and        └── it is older: an old primary; rolled back, closed
 *       └── move the sequences on ───────────────────▶ used
 * </pre>
 *
 * <ul>
 *   <li>The timeline never goes back, whatever PostgreSQL's own does, and no two servers have the same one.
 *   <li>No token is issued on two servers, so (id, token) identifies one claim forever.
 *   <li>Once a process has worked on a timeline, it commits nothing on an older one.
 * </ul>
 *
 * <h2>Connections</h2>
 *
 * A node has one control connection and a pool. Both are made from the URL by {@link dev.muster.postgres.internal.PostgresConnections},
 * or both come from the DataSource of the program.
 *
 * <pre>
 *                      ┌── no answer for 6 s, broken ──▶ lost ──▶ logs in, at most twice a second ──┐
 *   control connection ┤                                                                            ├──▶ connected
 *                      └── takes no writes ──▶ refused: the pool is not used ──▶ checks again ──────┘
 * </pre>
 *
 * <ul>
 *   <li>If the URL names several servers, {@link dev.muster.postgres.PrimaryDataSource} finds the primary and then ends the
 *       connections to the others. Two addresses of one server count as the same server: connections through both stay. Of two
 *       primaries that are found at the same time, the one on the newer timeline stays.
 *   <li>When the control connection is back, pooled connections that were lent before the loss are ended, because they may wait
 *       for a server that never answers.
 *   <li>A pooled connection that refused a write, or leads to an old primary, is ended and never used again; the control
 *       connection then checks the server.
 *   <li>A node is ready only while its control connection answers and its server takes writes.
 * </ul>
 *
 * <h2>Claim cursors</h2>
 *
 * Claiming leaves dead index entries behind. While an old transaction keeps VACUUM from removing them, a claim that starts at
 * the head of a lane walks over all of them. So each node keeps a {@link dev.muster.postgres.internal.claims.ClaimCursors cursor} per
 * lane and rank, and its claims start there. No job is missed because:
 *
 * <ul>
 *   <li>{@code ready_at} is set when a job becomes claimable, to that moment or later. New, delayed, retried, released,
 *       recovered and lifted jobs all appear ahead of every cursor; released and recovered ones in their own rank, which is claimed first.
 *   <li>A cursor moves forward only after the claim that saw the rows has committed: to the last row claimed, or to the time of
 *       the scan if it saw everything that was due in this lane and rank. That is decided for each lane and rank by itself
 *       ({@code ScanResult}): a claim that finds as many jobs as it wants was cut short where it found the last one, has seen
 *       the lanes and ranks before that to their end, and nothing of those after it.
 *   <li>A scan from the cursor skips every row with the mark of a lock, even of a lock that was given up without a change.
 *       Scans that start behind the cursor do not skip such rows, and so find what a rolled-back claim leaves.
 *   <li>Jobs of a transaction that commits late appear behind the cursor. Scans that start 2 s before the last such scan find
 *       them if they were less late than that. (While the backlog is older than 2 s, such a scan starts in front of the cursor
 *       and finds nothing.)
 *   <li>When a claim of this node is rolled back, its cursors go back to where the claim began, marks of locks are not trusted
 *       until a scan has met none, and a scan that was under way meanwhile moves no cursor.
 *   <li>The {@link dev.muster.postgres.internal.claims.BacklogProbe backlog probe} finds everything else. Probes claim and lock nothing,
 *       and are made beside the claims as often as their own cost allows; a cursor that has passed a job goes back to it. An
 *       idle node only probes.
 * </ul>
 *
 * <h2>Many lanes</h2>
 *
 * <pre>
 *   unknown ──wake-up, or a probe sees a job that is due──▶ due ──a scan finds nothing left──▶ due, asked last
 *      │                                                     ▲                                      │
 *      └──a probe sees a job that is due within 2 min──▶ later ──its time has come     a probe sees nothing: forgotten
 * </pre>
 *
 * <ul>
 *   <li>A claim asks only lanes that are due, and at most a hundred (lane, rank) pairs: first those that are known to have
 *       jobs, by rank, with the lanes of a rank taking turns. If a claim had to leave some of these out, another one follows at
 *       once.
 *   <li>Only a probe can make a due lane forgotten, and only if it began after the lane's last wake-up. Jobs that a claim skipped
 *       because they were locked are asked for again until then.
 *   <li>A lane that all nodes were notified of becomes due on this node when it is this node's turn. A probe before that finds
 *       its jobs, too.
 *   <li>Lanes of paused queues are not due; when a queue is resumed, its lanes are woken. Lanes of queues with a limit are due for
 *       the session of that queue only.
 *   <li>Lanes that are due within two minutes are remembered with the time of their first job; only the nearest ten thousand are
 *       kept. Of all jobs that are due later a node remembers one time, that of the first. It probes again at that time, if it
 *       has not done so before, which it usually has.
 * </ul>
 *
 * <h2>Queues with a limit</h2>
 *
 * A node has one more claim session for each queue with a limit that it serves ({@link dev.muster.postgres.internal.claims.ClaimSessions}). That
 * session has exchanges of its own:
 *
 * <pre>
 *   write outcomes ──▶ lock the queue's row, or come back in milliseconds ──▶ count the places that are used ──▶ claim no more than are free
 * </pre>
 *
 * A place is used as long as a job that a note of the queue in {@code muster_claims} names is held. Nothing else is counted, so nothing can
 * be left behind: recovery, completion and release need not know of limits. {@code docs/model/queue-limit.pml} shows the rules that
 * follow to be enough, and each of them to be needed:
 *
 * <ul>
 *   <li>The count is a later statement than the lock, and reads the limit, too. The number of a note is drawn under the lock, so a node
 *       looks up the notes that it has seen to be in use, and walks only later ones ({@link dev.muster.postgres.internal.claims.NotesSeen}).
 *   <li>The transaction that sets the first limit of a queue notes what runs, and writes into the queue's row that notes are owed. A claim that
 *       finds all claims ended that began before it writes these; until then, for two seconds, it claims nothing ({@link
 *       dev.muster.postgres.internal.claims.EarlierClaims}).
 *   <li>Outcomes are written by the ordinary session, or by that of a limited queue if there is nothing else to claim.
 *   <li>Beside a backlog without a limit, limited queues get every second exchange that could claim from both; among themselves the one that has
 *       got something last comes last ({@code docs/model/queue-turns.pml}). One probe looks for jobs in all queues of a node that are idle.
 *   <li>Whoever frees a place claims again in the same call: the executor that has claimed the job which ended, and others only if they know
 *       of jobs there. If it cannot, or has no thread, it notifies the other nodes; if it sees no
 *       job that it could run, it does so a little later, because only nodes with other handlers could use the place.
 *   <li>A node that finds no free place waits for such a notification, and looks again after a second or more in case it was lost. What
 *       arrives between the begin of a claim and its end belongs to the next claim.
 *   <li>A job keeps its claim until its thread has returned ({@code ClaimedJob.keepsPlace}).
 *   <li>A node claims no more from such a queue than it has threads for, unless many places are free. If there is work in both kinds of queues, each gets
 *       half of the room.
 * </ul>
 *
 * <h2>Jobs for other nodes</h2>
 *
 * Claims and probes skip jobs for which this node has no handler. A probe skips at most 50,000 in each lane and rank, and the
 * next probe, which follows soon, continues there. It skips none that are due in more than two minutes: its search ends at the
 * first of these. A probe from the very beginning does not continue; if it ends among such jobs, one from the floors follows at
 * once. A claim that runs out of time releases what it had locked. Its cursors then
 * leap to ten seconds ago, probes walk over what lies before that, and if they find a job for this node, the cursor goes back
 * to it. The first claim after that asks for one job only, so that it ends as soon as it has found one.
 *
 * <h2>Probe floors</h2>
 *
 * A probe has to walk over dead entries, too. So it starts at a floor, which rises from probe to probe:
 *
 * <pre>
 *   dead for sure │ dead, or may still come │ dead or claimed │ pending
 *   ──────────────┼─────────────────────────┼─────────────────┼────────▶ ready_at
 *               floor                    proposed          cursor
 * </pre>
 *
 * <ul>
 *   <li>A probe proposes the time of the first pending job that it found, or ten seconds ago if that is earlier, and draws a
 *       transaction number. Jobs that are claimed but not committed still count as pending for it, so that it does not pass a
 *       claim that is rolled back later.
 *   <li>A later probe makes the proposed time the floor if every transaction up to that number has ended, and if it finds no
 *       job before the proposed time. A transaction that writes a job after that has also read the clock after that, minus the
 *       time between reading the clock and its first write, for which ten seconds are ample. Where they might not be, the
 *       transaction number is drawn before the clock is read ({@link dev.muster.postgres.internal.jobs.JobInsert}).
 *   <li>An open transaction that has written keeps the floor where it is; one that has only read does not.
 *   <li>If it took several probes to get from the floor to the first job, the transactions must have ended for the first of them.
 *   <li>Floors are forgotten when another server takes over or the clock is set back. Probes from the very beginning are a
 *       safety net for mistakes, and for jobs that somebody wrote with a time in the past. They run every ten seconds, or less
 *       often if they would take more than a hundredth of the time.
 * </ul>
 *
 * <h2>Claims and notes</h2>
 *
 * A claim changes no indexed column, so PostgreSQL writes the new version of a row beside the old one and updates no index. To
 * find the jobs of a node, or jobs whose lease ran out, there is one note per claiming statement in {@code muster_claims}.
 *
 * <pre>
 *   claim ──▶ note names n jobs ──▶ some have ended ──▶ none is left ──▶ deleted, by its node or the sweep
 *                  └── its time is over: the sweep takes back jobs whose lease ran out, and sets a new time for the rest
 * </pre>
 *
 * <ul>
 *   <li>Every job with a token is named by a note of its node: one statement writes both, and the note is deleted only when
 *       none of its jobs is a current claim of that node.
 *   <li>A note proves nothing. The job's row says which node holds the job until when; a node that takes a job away checks
 *       token and lease there, while the row is locked.
 *   <li>A note may outlive its jobs, and a job may be named by two notes; both are harmless.
 *   <li>Notes are locked with SKIP LOCKED: a node that deletes its notes never waits for a sweep.
 * </ul>
 *
 * <h2>Queries for people</h2>
 *
 * <ul>
 *   <li>Lists and counts read a bounded number of rows, along indexes that claims and completions maintain anyway; no index
 *       exists only for them.
 *   <li>A count that stops at its limit says so. A search that stops early says how far back it searched and where to continue
 *       ({@link dev.muster.postgres.internal.jobs.JobSearch}).
 *   <li>Their statements have time limits of seconds ({@code Database.reading}), and an error that names a possible reason.
 * </ul>
 */
@NullMarked
package dev.muster.postgres.internal;

import org.jspecify.annotations.NullMarked;
