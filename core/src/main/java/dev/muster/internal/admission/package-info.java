/**
 * Concurrency groups: at most a given number of jobs of a name or of a key run at a time, or in order, or begin per unit of time; and no tenant's jobs stand in
 * the way of another's.
 *
 * <h2>State model of a job with a group</h2>
 *
 * <pre>
 *   waits for other jobs ──▶ in its group ──▶ admitted: pending ⇄ claimed, running ──▶ ended
 *                                  ▲                                  │
 *                                  └──────────────────────────────────┘  waits for its next attempt, unless the group is ordered
 *
 *                      status                       ready_at   group_position
 *   waits              waiting                      infinity   null
 *   in its group       waiting                      infinity   its position, or when it is due if that is later
 *   admitted           pending, claimed, running    a time     as it was
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A group has never more admitted jobs than its limit of the moment allowed when the last one was admitted. Admitted jobs are counted
 *       in their rows; there is no counter that a crash could leave wrong. A running job is an admitted one.
 *   <li>A job of a dead node stays admitted and goes first. A handler that ignores its interruption keeps its job's place until it returns.
 *   <li>In an ordered group no job is admitted while one is left that was committed before the enqueue of the first one began, whatever the
 *       database's clock says. A delayed job counts as enqueued when it is due.
 *   <li>Of a group with a rate, in any time t at most {@code burst + rate × t} jobs begin, whatever has happened to them since their admission: they
 *       are counted when they begin, not when they are admitted. A beginning is the answer of the database to the node, which enters the
 *       handler then.
 *   <li>A job that is due does not wait for admission while there is a free place, except for as long as an admission takes, or, after a
 *       process has died, until the next sweep. Timers are in the memory of processes; the sweep needs none: it reads the jobs that are not admitted by
 *       the times at which they are due.
 * </ul>
 *
 * <h2>Rules</h2>
 *
 * {@code docs/model/admission.pml} is the model, and has a broken variant for each of these.
 *
 * <ul>
 *   <li>An admission is a transaction of its own. It locks the group's row and waits for it, creates it if there is none, counts in a later
 *       statement, and waits for the rows of the jobs that it picks.
 *   <li>It comes after the commit of what made room, and nobody holds a job's row while waiting for a group. Concurrency groups are locked in the order of
 *       their names.
 *   <li>Everybody admits who puts a job into its group or ends an admitted one: enqueuers, workers, and whoever cancels, retries, recovers or
 *       expires jobs. Nobody locks a group in a caller's transaction; its commit notifies the nodes, and the leader admits.
 *   <li>Admissions keep to the rate as well, so that jobs do not come too early as a rule. But admitted jobs gather behind a backlog of their
 *       queue, in one that is paused, while no node is up, or when a node that dies gives them back. So before a handler is entered its node
 *       asks ({@link dev.muster.internal.job.store.AdmissionStore#mayBegin}). Whoever comes too early is told a time of its own, stays admitted and comes back
 *       then, before others of its priority; until the last of those times nobody is admitted. Nothing is asked for a group without a rate.
 *   <li>A worker admits with little patience, because its queues would wait with it. A lock that is not granted in time is asked for again later ({@link dev.muster.internal.admission.AdmissionKeeper}). It never fails an enqueue that is
 *       committed.
 *   <li>The leader sweeps, for what processes that died have left over, and for what becomes due without a process that has a timer for it.
 *       What became due since it looked last comes first, oldest first; everything else is searched now and then. A group that is locked, or
 *       cannot be read in time, is stepped over and tried again later.
 *   <li>{@code group_position} and {@code ready_at} are never written in the past. So searches can start at floors that only rise, and do not get
 *       slower while the database cannot remove dead rows. Jobs that have been admitted for long stay below the floor and are counted one by
 *       one. {@code docs/model/admission-floors.pml} is the model of the floors.
 *   <li>In an ordered group the position of a job that is due is later than those of all jobs that its enqueue can see in its group, and no clock
 *       is asked whether it is due. {@code docs/model/admission-order.pml} is the model of that.
 * </ul>
 *
 * Limits belong to handlers. A node writes those of its handlers when it starts; during an upgrade the node that started last decides. A job
 * whose enqueuer did not know of the limit is put into its group by the node that claims it ({@link dev.muster.internal.job.store.AdmissionStore.PutInGroup}).
 */
@NullMarked
package dev.muster.internal.admission;

import org.jspecify.annotations.NullMarked;
