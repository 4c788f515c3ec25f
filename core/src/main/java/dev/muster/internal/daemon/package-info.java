/**
 * Daemons: code that runs all the time, once in the cluster or once on each node.
 *
 * <pre>
 *            claim: a new, higher token                      throws or returns
 *   free ─────────────────────────────▶ running on one node ───────────────────▶ backoff, on the same node
 *    ▲ ▲                                   │    ▲                                  │        │
 *    │ └──── released, or lease over ──────┘    └──────────── waited ──────────────┘        │ restarted too often
 *    │                                                                                      ▼
 *    └────────────────────────────── an operator resets it ◀───────────────────────────── failed
 * </pre>
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>There is at most one holder per (daemon, token), and of two holders the later one has the higher token. Renewals,
 *       reports and releases name the token, and change nothing if the daemon has another token.
 *   <li>Another node may take a daemon as soon as its lease has run out or its node was declared dead. So a node interrupts its
 *       instance some time before the lease can have run out, and some time before the node can be declared dead. Both times go
 *       by the node's monotonic clock, counted from when the last answered renewal and the last answered heartbeat were sent.
 *       An instance that ends within that time (3 s with default settings) never overlaps with its successor.
 *   <li>An instance can overlap with its successor if it does not end in time, or if its process was frozen, until it asks its
 *       context whether to stop or is interrupted; a process that wakes up interrupts it first. The {@linkplain
 *       dev.muster.daemon.DaemonContext#fence fence} of the older instance is the lower one.
 *   <li>A daemon that waits for its restart is started only if its node still holds it.
 *   <li>A node has at most one thread in a daemon's code: it does not claim a daemon again before its own last instance has
 *       ended.
 * </ul>
 *
 * <h2>Placement</h2>
 *
 * A free daemon goes to the live node that can run it and runs the fewest daemons. If that node does not claim it within {@code
 * worker.renew}, any other node may. A node that runs two more daemons than another node that could run them releases one, at
 * most once per {@code worker.renew}. Each move makes the loads more even, so in a stable cluster the moves end. If a daemon
 * comes back to the node that released it, that node moves none for a while.
 */
@NullMarked
package dev.muster.internal.daemon;

import org.jspecify.annotations.NullMarked;
