/**
 * Executors of kind {@code process}: each attempt at a job runs in a child process of the node. Applications do not use this package; it may
 * change at any time.
 *
 * <pre>
 *   thread of the executor                                        child process
 *   ─────────────────────────────────────────────────────────────────────────────────────────
 *   {@link dev.muster.job.JobHandler.Body}.run ── ChildLauncher ──▶ starts
 *        standard input  ───────────────────────────────────▶ the args
 *        standard output ◀─────────────────────────────────── the result
 *        standard error  ◀─────────────────────────────────── the end of it is the error
 *        JobPipe         ◀─────────────────────────────────── progress and log lines, one JSON object per line
 *   returns, throws      ◀─────────────────────────────────── ends, and ProcessTree kills what it has left behind
 *
 *   keeper.sh, one per node: kills all children when the node's JVM has ended
 * </pre>
 *
 * {@link dev.muster.internal.process.ChildProcesses} makes the handlers. The rest of the node does not know that a handler has a process: timeouts,
 * cancellation, lost claims and drains interrupt the thread, as they do for every handler, and the answer to an interrupt is to kill.
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>When the handler's body has returned or thrown, the child and its descendants have ended. That holds for a normal end, too.
 *   <li>A child blocks no thread of the node for longer than it lives: it need not read its args, nor open the pipe, and all that it writes
 *       is read. What is kept of it is limited.
 *   <li>Whatever a child does is a failure of its job at most.
 *   <li>A child inherits no variable whose name begins with {@code MUSTER_}, and a child JVM no property that begins with {@code muster.}: they
 *       are the settings of the node, and some are secret.
 *   <li>A child without a job, which finds out at the start of a node whether handlers can be built, has a limit of time.
 * </ul>
 *
 * <h2>Which processes belong to a child</h2>
 *
 * Two variables mark them: {@code MUSTER_CHILD} is unique for each child, {@code MUSTER_KEEPER} for each node. A process inherits them
 * whatever it does to its parent, group and session, and on Linux everybody who may kill a process can read its environment. So nobody has
 * to be told of a process, and there is no moment at which a process exists and is not known. A process that removes the variables
 * <em>and</em> leaves its parent is not found. Only processes that are younger than the child are looked at; see
 * {@code ProcessNumbers}.
 *
 * <h2>The keeper</h2>
 *
 * It is started before the first child, and again before any other child if somebody has killed it. It reads a pipe that only the JVM holds
 * open, because Java closes all other files in the children that it starts. At the end of the pipe it kills all processes with the mark of
 * its node, once more after a second for a child that the JVM was just starting, and removes the folder of the pipes.
 */
@NullMarked
package dev.muster.internal.process;

import org.jspecify.annotations.NullMarked;
