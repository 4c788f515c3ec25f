/**
 * Meters of Micrometer for what a node does: {@link dev.muster.micrometer.MusterMeters}.
 *
 * <pre>
 *   the engine ── events ──▶ MusterMeters ── counters, timers ──▶ the registries of the program
 *   this node ─────────────▶ NodeGauges ─── gauges ─────────────▲
 *   the database ──────────▶ ClusterGauges, on the leader ──────┘
 *                            asked at most every 10 s, after a registry has read the gauges
 * </pre>
 *
 * <p>{@link dev.muster.micrometer.MeterName} is the one list of all meters. {@code docs/observability.md} has the same list, and in a
 * registry of Prometheus they have the same names as on the page of the gateway; tests compare them.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A node has meters for at most {@value dev.muster.micrometer.Bounded#MOST} pairs of job name and queue, and for as many crons and
 *       daemons. Whatever comes later is counted as {@code other}.
 *   <li>All outcomes of a pair have a meter from its first event on.
 *   <li>A listener's thread never waits: nothing here asks the database but a thread of its own, one at a time.
 * </ul>
 */
@NullMarked
package dev.muster.micrometer;

import org.jspecify.annotations.NullMarked;
