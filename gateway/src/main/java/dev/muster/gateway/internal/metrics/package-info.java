/**
 * Metrics: counts what this node does and writes it at {@code GET /_api/metrics}, in the text format of Prometheus.
 *
 * <pre>
 *   the engine ── events ──▶ NodeMetrics ─┐
 *   HttpServer ── answers ─▶ HttpMetrics ─┤
 *   the node and its JVM ──▶ NodeGauges ──┼─▶ MetricsPage ── Samples ──▶ text
 *   the database ──────────▶ ClusterFigures ┘
 *                            read at most every 10 s
 * </pre>
 *
 * <p>{@link dev.muster.gateway.internal.metrics.Metric} is the one list of all metrics. {@code docs/monitoring.md} has the same list, and a test
 * compares them.
 *
 * <h2>What an event costs</h2>
 *
 * A busy node has more than a hundred thousand events in a second, on the threads that run jobs. An event finds the counts of its job's
 * name and queue in two maps, adds to a few adders, and allocates nothing. Labels, text and percentiles are a matter of the scrape and of
 * Prometheus. The library is not involved until then.
 *
 * <h2>Invariants</h2>
 *
 * <ul>
 *   <li>A node has at most {@value dev.muster.gateway.internal.metrics.JobTable#MOST} pairs of job name and queue, and as many crons, daemons and queues.
 *       Whatever comes later is counted as {@code other}.
 *   <li>What was written once is written with every later scrape: a counter never disappears while the node runs, and never goes back.
 *   <li>All outcomes of a pair are written from its first event on, with 0 if need be. Otherwise {@code increase()} would miss the first
 *       failure.
 *   <li>A scrape asks the database at most once in 10 s, however many scrapers there are, and waits for the answer for at most 3 s. If
 *       there is none, {@code muster_database_up} is 0, the figures of the cluster are left out, and the rest is written.
 *   <li>A source that fails is left out and logged. The others are written.
 * </ul>
 */
@NullMarked
package dev.muster.gateway.internal.metrics;

import org.jspecify.annotations.NullMarked;
