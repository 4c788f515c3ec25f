/**
 * Rate limits: at most N permits of a key in each window of time, in the whole cluster.
 *
 * <pre>
 *   RateLimits (checks the input) ──▶ RateLimiterBackend
 *                                       ├─ StrictLimiter ── every call ──────────────▶ RateLimitStore (one row per key and window length)
 *                                       ├─ ReservingLimiter ── a block of N/20 at a time ▶        "
 *                                       ├─ HybridLimiter ── user, ip: LocalLimiter (memory); tenant, global: StrictLimiter
 *                                       └─ the application's own
 * </pre>
 *
 * <h2>Windows</h2>
 *
 * The windows of a length lie side by side from the epoch on, by the database's clock. A key's row names the window that it counts in; the
 * first permit of a later window restarts the count. No window ever becomes the current one again: if the database's clock steps back,
 * as after a failover, by up to an hour, the later window continues.
 *
 * <h2>Invariants of strict and reserved</h2>
 *
 * <ul>
 *   <li>Of the permits that the database hands out for a window, no more than N are used. It counts them under the lock of the key's row,
 *       and reads its clock once it has the lock. A call is answered only after the count is committed, so a crash of the database
 *       forgets nothing that was answered.
 *   <li>If the answer of the database is lost, the caller gets an exception and never a permit. The permits may have been counted: they
 *       are wasted, and the window gives out that many less. The same is true of the block of a node that dies. Apart from that, exactly N
 *       calls for one permit are allowed, if this many ask.
 *   <li>All modes that count in the database count in the same row. So nodes with different modes, or with different values of N while one
 *       is being changed, keep the limit together: each refuses by its own N.
 * </ul>
 *
 * <h2>How long a node may serve from its block</h2>
 *
 * A block belongs to one window, and the window ends by the database's clock, which the node does not see. With the block the database says
 * how much of the window is left. The database read its clock after the node had sent its request. So the window ends at the earliest that
 * much later than the request was sent, and until then the node serves: the time the request took is lost, never gained. The node measures
 * with its monotonic clock, and stops a thousandth of that time and one millisecond earlier, because the two clocks need not run at the same
 * speed (the system adjusts each by at most 500 millionths).
 *
 * <p>After that moment the node asks the database whether the window is still on, and continues with what it holds if it is. A permit is
 * taken out of the block first, and the clock is read after it: a process that was frozen before that moment, or between the two, finds
 * that its time is over. A process that is frozen between the reading and the return of the call, or in the caller's own code, acts on its
 * permit late. No limiter can prevent that; the count stays right, because the permit is counted in the window in which it was given out.
 * For {@code strict} the same is true of the time that the answer of the database travels.
 *
 * <p>Not covered: a database clock that is set ahead in the middle of a window ends the window earlier than the database said, and the
 * monotonic clock of a machine that is suspended as a whole may stand still.
 *
 * <h2>Local keys</h2>
 *
 * With {@code hybrid}, keys of users and addresses are counted in the memory of each node, in windows that begin with a key's first call, by
 * the node's monotonic clock: at most N for each node and window. A node remembers a bounded number of keys, and forgets those that were
 * used longest ago.
 */
@NullMarked
package dev.muster.internal.ratelimit;

import org.jspecify.annotations.NullMarked;
