/**
 * Task graphs: work that is submitted as data. A graph is a set of tasks with dependencies between them; each task runs as one job.
 *
 * <h2>What a graph is</h2>
 *
 * A row in {@code muster_graphs}, a row per task in {@code muster_graph_tasks} and a row per dependency in {@code muster_graph_edges}. A
 * task becomes a job when it is ready, not before: a waiting task is a row that nobody scans. Its job is an ordinary job with the task's
 * name; the job's id is chosen when the graph is submitted. Claims, leases, retries, recovery and "why is this waiting" work as for every
 * other job.
 *
 * <h2>States of a task</h2>
 *
 * <pre>
 *   waiting ── its trigger fires ──▶ enqueued (pending or running, as its job is) ──▶ completed │ failed │ cancelled
 *      │  ▲                                                                               │          │
 *      │  └────────────────────────── retry, with a new job ◀─────────────────────────────┴──────────┘
 *      ├── its trigger cannot fire any more ──▶ skipped ── retry of what it was skipped for ──▶ waiting
 *      └── an operator ──▶ cancelled
 * </pre>
 *
 * {@code pending} and {@code running} are not stored: they are the state of the task's job. A job that expires makes its task failed.
 *
 * <h2>States of a graph</h2>
 *
 * <pre>
 *   running ── every task has ended ──▶ completed │ failed │ cancelled ── retry ──▶ running
 * </pre>
 *
 * A graph that was cancelled as a whole ends as {@code cancelled}. Otherwise it has {@code failed} if a task failed whose failure was not
 * tolerated, and is {@code cancelled} if a task was cancelled. A failure is tolerated if the task has children and is an optional parent
 * of all of them. Skipped tasks do not count: a task that handles failures is skipped whenever nothing fails.
 *
 * <h2>Triggers</h2>
 *
 * <table>
 *   <caption>When a task is ready, and when it is skipped</caption>
 *   <tr><th>trigger</th><th>ready</th><th>skipped</th></tr>
 *   <tr><td>all_success</td><td>all required parents completed, the optional ones ended</td>
 *       <td>a required parent failed, was cancelled or was skipped</td></tr>
 *   <tr><td>any_success</td><td>a required parent completed</td><td>all required parents ended, none completed</td></tr>
 *   <tr><td>all_done</td><td>all parents ended</td><td>never</td></tr>
 *   <tr><td>any_failed</td><td>a required parent failed</td><td>all required parents ended, none failed</td></tr>
 *   <tr><td>none_failed</td><td>all parents ended, no required one failed</td><td>a required parent failed</td></tr>
 *   <tr><td>all_skipped</td><td>all required parents were skipped, the optional ones ended</td>
 *       <td>a required parent ended otherwise</td></tr>
 * </table>
 *
 * <p>One rule covers optional parents: how they end never counts. The triggers that begin with {@code all} or {@code none} wait until they
 * have ended; {@code any_success} and {@code any_failed} do not look at them. A cancelled parent has not failed. Which tasks run and which
 * are skipped depends on how the parents end, never on the order in which they end.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Whoever decides about tasks of a graph first locks the graph's row, and reads the tasks in a later statement. So decisions about
 *       one graph are made one after the other, and each end of a parent is counted once. Graphs are locked in the order of their ids, and
 *       nobody who has locked a graph waits for the row of a job: a handler's open transaction may hold it for long.
 *   <li>How a task ended, and its result, are copied from the history of its job; an encrypted result is copied as it is. From then on
 *       the graph does not need the job's history.
 *   <li>The end of a task, everything that is decided because of it, and the jobs of the tasks that became ready are one transaction. Only
 *       a chain of more than 500 skipped tasks takes several. In between, the graph is marked as {@code undecided}: its waiting tasks have
 *       counted their parents, and whoever ended the job, or else the scheduler leader, decides about them.
 *   <li>Whoever ends the job of a task resolves the task in the next transaction: it writes how the task ended and decides about the
 *       tasks below it. If that is missed, because the node died or the database was away, the scheduler leader finds the task, because
 *       its job is not live any more.
 *   <li>A cancelled task that has a job says so in its row, and its job is told to stop. If the job's row was locked at that time, or the
 *       caller died, the scheduler leader tells it. Until it has ended, the graph cannot be retried.
 *   <li>A task has at most one live job. A retry gives the task a job with a new id; outcomes of the old one change nothing.
 *   <li>The inputs of a task are assembled by the node that runs it, again for each attempt: only a node can open encrypted results.
 * </ul>
 */
@NullMarked
package dev.muster.internal.graph;

import org.jspecify.annotations.NullMarked;
