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
 *   <li>At most one holder per (daemon, token); of two holders the later has the higher token. Renewal, reports and
 *       release name the token and change nothing for anyone else's.
 *   <li>A daemon is another node's as soon as its lease has run out or its node was declared dead. So a node stops its
 *       instance, by interruption, a while before its lease can have run out, and a while before it can be declared dead:
 *       both by its own monotonic clock, counted from before it sent the last renewal and the last heartbeat that were
 *       answered. An instance that ends within that while (3 s with default settings) never overlaps with its successor. One
 *       that does not may; its {@linkplain dev.muster.daemon.DaemonContext#fence fence} is then the lower one. So may one
 *       whose process was frozen, until it asks its context whether to stop or is interrupted, which is the first thing that
 *       a process that goes on does.
 *   <li>A daemon that waits for its next start is started only if it is still its node's.
 *   <li>A node has at most one thread in a daemon's code: it does not claim a daemon whose last instance it has not seen
 *       end.
 * </ul>
 *
 * <h2>Placement</h2>
 *
 * A free daemon is taken by the live node that can run it and runs the fewest. If that node does not come for it within
 * {@code worker.renew}, any other may. A node that runs two more than another one that could run them gives one up, one at
 * a time and not more often than once per {@code worker.renew}: each move makes the loads more even, so in a stable
 * cluster moves end, and a daemon that comes back to the node that gave it up stops the moving for a while.
 */
@NullMarked
package dev.muster.daemon;

import org.jspecify.annotations.NullMarked;
