/**
 * What a node is made of: {@linkplain dev.muster.internal.node.NodePart parts} that start and stop with it, brought along by
 * {@linkplain dev.muster.internal.node.Subsystem subsystems}.
 *
 * <p>Crons, daemons, workflows, graphs, batches, functions, limits per key and maintenance are subsystems. A subsystem names the annotations of its handlers, the API through which programs
 * use it, and the parts that a node runs for it. The one list of them is {@code dev.muster.internal.assembly.Subsystems}; other
 * jars add theirs with {@link java.util.ServiceLoader}. Nothing else knows of a subsystem: a node treats all parts alike.
 *
 * <p>Most parts repeat their work on a thread of their own. A {@link dev.muster.internal.node.LeaderLoop} works while its node leads, and a
 * {@link dev.muster.internal.node.LeaderDuty} while there is something to work on, too.
 *
 * <h2>The life of a part</h2>
 *
 * <pre>
 *   built ── start ──▶ started ◀── resume ── suspended     the node has lost all it held, and has joined again
 *                         │    ──  suspend ──▶  │
 *                         ▼                     ▼
 *                  prepareToStop ─── stop ──▶ stopped
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>Parts start one after the other in the order of their {@linkplain dev.muster.internal.node.NodePart.Phase phases}, and stop in the
 *       reverse order. Within a phase the order is that of the list of subsystems.
 *   <li>All parts are told to prepare before the first one stops, so that they can end their work at the same time.
 *   <li>A part that fails to stop, or takes too long, does not keep the next one from stopping.
 *   <li>A dead node is cleaned up in the transaction that declares it dead: either all parts have released what it held, or it is
 *       not dead. Muster's own subsystems have the parts that release on every node that can judge, whether it runs such work or not.
 * </ul>
 */
@NullMarked
package dev.muster.internal.node;

import org.jspecify.annotations.NullMarked;
