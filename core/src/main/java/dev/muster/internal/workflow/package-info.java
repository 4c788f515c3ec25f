/**
 * Durable workflows: methods whose steps are stored, so that after a crash another node continues with the first step that is not.
 *
 * <h2>What a run is</h2>
 *
 * A row in {@code muster_workflow_runs} and one job with the same id, its <em>driver</em>, for the run's whole life. Claims, fences,
 * leases, drain, recovery, pause and "why is this waiting" are those of jobs. A node claims a driver, replays the workflow's code with the
 * stored results, runs the next steps, and then ends the run or <em>parks</em> it: the driver becomes pending again with a due time, and
 * costs nothing until then.
 *
 * <p>The driver's name is {@code workflow:<name>:<version>:<first 8 digits of the signature>}. A node publishes and claims only the names
 * it has code for, so no node gets a run that it cannot resume. Where a former Muster made another signature of the same code, the node takes drivers with both. To people a driver is no job: {@link dev.muster.internal.job.store.DriverJobs} says what lists
 * and counts leave out.
 *
 * <h2>States of a run</h2>
 *
 * <pre>
 *                  ┌──────────── due, or an event came ────────────┐
 *                  ▼                                               │
 *   pending ──▶ running ──▶ parks: sleeping (a time), waiting (an event, or the end of a pause), blocked_… (this node's code is not the right one)
 *      ▲ │         │
 *      │ │         ├──▶ completed
 *      │ │         ├── failed or cancelled, nothing to compensate ──▶ failed, cancelled_by_operator
 *      │ │         └──▶ compensating ──▶ compensated, cancelled_by_operator, or failed if a compensation fails ──▶ retry
 *      │ ▼
 *   blocked_missing_handler, blocked_missing_version, blocked_signature_mismatch: no live node publishes the driver's name
 *
 *   any of these, by an operator's UPDATE ──▶ retired_unresumable, cancelled_by_operator
 * </pre>
 *
 * {@code running} is not stored: it means that a node holds the driver. All other states are in the run's row.
 *
 * <h2>Steps</h2>
 *
 * The n-th call on a branch of the code has the path n; calls inside a parallel branch have a path below it. What is stored under a path
 * must have the name and kind that the code asks for, or the run is blocked with a sentence that says what was and what is.
 *
 * <pre>
 *   (nothing) ──▶ completed                       the effect ended, its result is stored
 *       │    ──▶ failed                           after its last attempt; the code gets a StepFailed, now and in every replay
 *       │    ──▶ retrying(attempt, due) ──▶ completed, failed
 *       └───── ▶ waiting(due) ──▶ completed, timed_out        an event; a sleep stays waiting and is over when it is due
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A step has at most one final row. It is written only while the writer's claim is the current one, checked and locked in the
 *       statement that writes it ({@code FOR KEY SHARE} on the driver with its token): no result of an older claim is stored after a newer
 *       claim has begun.
 *   <li>Whoever parks a run and whoever sends it an event lock the run's row first, and look in the next statement. So an event is either
 *       seen by the park or finds the driver parked. Lock order everywhere: the run's row, then its driver.
 *   <li>An event is taken by one wait, in the transaction that stores that wait's result. A wait that is over has either an event or a
 *       timeout, never both. A retry gives the events of the waits that it forgets back, except one that did not fit and has failed its wait: the
 *       path of who has taken that gets a tilde.
 *   <li>Run and driver end in one statement under the driver's token. A run without a driver, left by too many crashes or by an
 *       operator's DELETE, gets a new one from the scheduler leader.
 *   <li>A compensation is stored with the result of its step. Its end is stored once; compensations run in the reverse order in which the
 *       steps were stored.
 *   <li>However a child ends, its parent is told by an event, in the transaction that ends it. A run that cannot complete any more asks its
 *       children to end.
 *   <li>At most one child tells its end at a path. If a retry of the parent has forgotten what happened there, that child's end is marked as
 *       forgotten (the event's name gets a tilde). Code that then asks for the same workflow with the same input gets the same child: its result, if it has
 *       completed; its new end, if it lives or has failed and can be retried. In any other case another child begins, with an id that follows from the
 *       forgotten one's, and the path of that one gets a tilde: what it may still tell reaches nobody. A child whose failure has ended the
 *       run is retried together with it, and is the child at its path whatever its input.
 *   <li>Runs that continue one another are one to whoever holds the id of an earlier one: events, a request to end and the key go to the last.
 *       A run that was asked to end is not continued, because its successor could not undo its steps. Which run is the last stands in {@code muster_workflow_chains}, written where the successor is; no call depends on how long the chain is.
 *   <li>What an activation remembers was stored by the server that it writes to. On another server, which may have lost the last steps,
 *       nothing of it is stored: the run is loaded again.
 *   <li>There may be any number of live runs: whoever walks over them looks at a window of them and changes some of it, in one transaction each, and
 *       continues after the last one it looked at. Whoever stops in between leaves nothing that the leader's walk does not find.
 *   <li>Code between steps must be deterministic: time, random numbers and ids come from the context.
 * </ul>
 */
@NullMarked
package dev.muster.internal.workflow;

import org.jspecify.annotations.NullMarked;
