/**
 * Calls of functions that a gateway forwards to a node that runs them, and what that node demands of them.
 *
 * <pre>
 *   caller ──▶ gateway: Pipeline ──▶ Forwarder ── POST /_internal/rpc/{function} ──▶ node: CallServer ──▶ Pipeline ──▶ the function
 *                                    FunctionNodes   CallConnection                       TicketCheck
 * </pre>
 *
 * <p>A gateway forwards what its own node does not run: because the node does not have the role {@code function}, or does not have that
 * function. It chooses among the nodes that publish the function in {@code muster_nodes}, are active by their own heartbeat interval, and
 * say in {@code node.advertise} where they listen. The port at that address belongs to {@link dev.muster.internal.provider.CallPort}; it serves this one path
 * and nothing else.
 *
 * <h2>One attempt</h2>
 *
 * <pre>
 *   chosen ── connect, 1 s ──▶ connected ── headers ──▶ asking ── 100 within 1 s ──▶ asked for ── body ──▶ sent ── answer ──▶ answered
 *      │                           │                      │                                                │
 *      └──────────────────────────▶└─────────────────────▶└──▶ not taken: the next node                    └──▶ lost
 * </pre>
 *
 * The node checks signature, capacity and function before it asks for the body ({@code Expect: 100-continue}). So a process that stands
 * still, whose kernel accepts connections all the same, costs one second and gets nothing. Until the body is sent, nothing can have run.
 *
 * <h2>What is repeated</h2>
 *
 * <ul>
 *   <li>A call that was not taken goes to the next node, until all were asked. The node that did not take it is avoided for some seconds.
 *   <li>A mutation whose body was sent is never sent again: the caller is told that its outcome is not known.
 *   <li>A query whose connection broke before the answer began goes to one other node. It only reads; but it may take a permit of its rate
 *       limit twice.
 *   <li>A call is forwarded once: the node that gets it runs it or refuses it.
 * </ul>
 *
 * <h2>Trust</h2>
 *
 * <ul>
 *   <li>The node believes what a gateway says about the caller, because it is signed: HMAC-SHA256 with a key from
 *       {@code muster_cluster_keys}, over method and path, function, hash of the body, caller, request id, node and incarnation that it is
 *       meant for, a nonce, and the time at which it expires by the database's clock. All of this is the {@link
 *       dev.muster.gateway.internal.forward.Ticket}.
 *   <li>A ticket is good for one call: the node remembers its nonce until the ticket has expired. After a restart the node has another
 *       incarnation.
 *   <li>Scope, roles and rate limit are checked where the function runs, with the caller that the gateway has authenticated.
 *   <li>Whatever is wrong with a ticket, the answer is the same 401. The node counts them, and logs at most one line in ten seconds.
 *   <li>The gateway believes an answer to a body only if it is signed with the same key, for the same nonce. Another program that listens at
 *       an address that a node has left cannot answer in its name.
 *   <li>A gateway connects to addresses from {@code muster_nodes} alone, and follows no redirect.
 *   <li>Nothing is encrypted on the way. Nodes that forward calls belong in a network of their own.
 * </ul>
 */
@NullMarked
package dev.muster.gateway.internal.forward;

import org.jspecify.annotations.NullMarked;
