/**
 * Telemetry: the one place where metrics, traces and a live view learn what a node does. {@link
 * dev.muster.telemetry.Telemetry} is what they implement; {@link dev.muster.internal.telemetry.TelemetryListeners} is what the engine calls. {@link
 * dev.muster.telemetry.Tracing} is what a tracer implements, which has to decide what is written into new jobs; {@link
 * dev.muster.internal.telemetry.Traces} is what the engine calls for it.
 *
 * <h2>What it costs</h2>
 *
 * The engine asks {@link dev.muster.internal.telemetry.TelemetryListeners#isEnabled} before it creates an event. That reads one final field of a
 * final class. {@link dev.muster.internal.telemetry.Traces} does the same for a tracer, and an attempt at a job without a trace costs one more read,
 * of a field of the job. So without a listener an event allocates nothing and measures no time. With a listener an event is one small record;
 * all events are records, so that more components can be added later without breaking listeners.
 *
 * <h2>The life of a claim</h2>
 *
 * <pre>
 *   claimed ──▶ started ──▶ ended ──▶ accepted     the database has committed the outcome
 *      │           │          │
 *      └───────────┴──────────┴─────▶ lost         the database has refused the outcome, or the claim was found to be lost
 *
 *   recovered                                      a node, usually another one, took the claim back
 * </pre>
 *
 * <ul>
 *   <li>A node that learns of its claim reports {@code claimed} before its handler can start, and later either {@code accepted}
 *       or {@code lost}, once. The exceptions are a node that dies, and claims that a draining node could not write about: the
 *       transaction that removes its row takes them back, and they are {@code recovered}.
 *   <li>{@code accepted} tells what the database has stored, which may not be what the handler asked for: a retry of a job that was
 *       cancelled meanwhile is accepted as cancelled, and a result that the database cannot store as failed.
 *   <li>{@code started} and {@code ended} are called on the handler's thread, in pairs, directly around the handler and its
 *       interceptors. A listener can set a context in the first and remove it in the second. If the thread is stuck, {@code
 *       accepted} or {@code lost} comes before {@code ended}.
 *   <li>{@code recovered} is reported by the node whose transaction took the claim back. If the node that lost the claim still runs,
 *       that node also reports {@code lost}.
 *   <li>If a node commits an exchange but does not get the acknowledgement, it sends the outcomes again. An outcome that ended its
 *       job is then found in history and accepted, once. An outcome that made its job pending again left no trace, and is
 *       reported as lost. A claim whose acknowledgement was lost is not reported as claimed, only as recovered.
 * </ul>
 *
 * <h2>Rules for the engine</h2>
 *
 * An event that tells of something written is reported after the commit. A listener cannot disturb the engine: whatever it throws is
 * caught, and the thread's interrupt flag is as it was before.
 */
@NullMarked
package dev.muster.telemetry;

import org.jspecify.annotations.NullMarked;
