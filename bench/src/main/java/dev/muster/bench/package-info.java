/**
 * Speed, measured against a fixed reference and against others.
 *
 * <pre>
 *   Main ──▶ Runner ──▶ for each Scenario, for each round, for each Contender:
 *                         fresh database ──▶ Contender.open ──▶ Site ──▶ Scenario.measure ──▶ Results
 * </pre>
 *
 * <ul>
 *   <li>Machines are noisy and drift. Contenders therefore take turns within each round, in one JVM, on one
 *       server, and a ratio is the median over rounds of ratios within a round. Absolute figures of
 *       different runs are not comparable.
 *   <li>Where others use the machine at the same time, processor time per job is the steadier figure.
 *   <li>The first round warms up the JVM and is not counted.
 *   <li>The server is durable: fsync, synchronous commit and full page writes are on.
 *   <li>Nothing depends on this module.
 * </ul>
 */
@NullMarked
package dev.muster.bench;

import org.jspecify.annotations.NullMarked;
