/**
 * Functions: queries and mutations that others call by name, with JSON for their args and their result. A query only reads; a mutation
 * does what it does in one transaction. {@link dev.muster.function.Functions#call} runs a function on the caller's own thread; the gateway
 * calls it for each request.
 *
 * <h2>What a call goes through</h2>
 *
 * <pre>
 *   name ──▶ scope ──▶ roles ──▶ rate limit ──▶ args ──▶ handler ──▶ result as JSON ──▶ commit ──▶ FunctionResult
 *    │         │         │           │            │         │                             │
 *    ▼         ▼         ▼           ▼            ▼         ▼                             ▼
 *  Unknown-       Refused      TooManyCalls  InvalidArgs  FunctionError, Timeout,       Conflict,
 *  Function,                                              Failed, Unavailable           CommitUnknown
 *  NotServed
 * </pre>
 *
 * A call that is refused before the handler has cost at most one permit of the rate limit. All refusals and failures are a {@link
 * dev.muster.function.FunctionException}; only an observer refuses mutations with an {@link dev.muster.runtime.ObserverRefusal}, and a
 * rate limit that cannot be counted throws {@link dev.muster.runtime.DatabaseUnavailable}.
 *
 * <h2>Functions of other nodes</h2>
 *
 * A node with the role {@code function} publishes what it runs in its row. {@link dev.muster.function.Functions} runs the functions of its
 * own node alone; a gateway finds the nodes that run the others through {@link dev.muster.internal.function.FunctionNodeStore}, and has them run
 * there. Such a call goes through all of the above where it runs. While calls run, the node counts as one that holds work.
 *
 * <h2>The transaction of a call</h2>
 *
 * <pre>
 *   none ── connection() or jobs() ──▶ open ── the handler returns in time ──▶ committed   (query: rolled back)
 *                                        │  └─ the connection breaks during the commit ──▶ unknown
 *                                        └──── anything else ──▶ rolled back
 * </pre>
 *
 * <h2>The time of a call</h2>
 *
 * A call is {@code running} until its handler has returned, and then {@code ended}; or its time is over first, and it is {@code
 * interrupted} by the {@link dev.muster.internal.function.CallWatch}, the one thread that watches all calls of a node.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A handler that does not use its connection or its enqueuer costs no round trip to the database.
 *   <li>A mutation whose call ends with any exception other than {@link dev.muster.function.FunctionException.CommitUnknown} has written
 *       nothing in its transaction, and enqueued nothing through its context. What it wrote elsewhere is its own matter.
 *   <li>Once the time of a call is over, the call ends with {@link dev.muster.function.FunctionException.Timeout}, whatever its handler
 *       does, and its transaction is rolled back.
 *   <li>The interrupt of the watch reaches the thread before the handler has ended or not at all: it reaches neither the commit nor
 *       whatever the thread does after the call. An interrupt by others stays set.
 *   <li>A handler is entered again only if it said so ({@code retryOnConflict}), and only after its transaction was rolled back.
 *   <li>The connection of a call goes back to the pool when the call ends, and can no longer be used through the context.
 *   <li>What a handler threw is told to nobody but the log, unless it is a {@link dev.muster.function.FunctionError}.
 * </ul>
 */
@NullMarked
package dev.muster.internal.function;

import org.jspecify.annotations.NullMarked;
