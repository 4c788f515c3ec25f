/**
 * Speed, measured against a fixed reference and against others.
 *
 * <pre>
 *   Main ──▶ Runner ──▶ for each Scenario, for each round, for each Contender:
 *                         Scenario.measure(Stage, Contender) ──▶ Figures ──▶ Results ──▶ Report, Charts
 *
 *   Stage      the server, fresh databases, how much is measured (Plan), what a contender sustains
 *   Contender  floor, own_sql, muster; or a peer, from its own class path (Peers)
 * </pre>
 *
 * <ul>
 *   <li>Machines are noisy and drift. What is compared therefore takes turns, on one server: contenders within each
 *       round, databases within a window or a claim. A ratio is the median over rounds of ratios within a round.
 *       Absolute figures of different runs are not comparable.
 *   <li>Where others use the machine at the same time, processor time per job is the steadier figure.
 *   <li>What warms up the JVM, half a minute of rounds or a first window, is measured and not counted.
 *   <li>The server is durable: fsync, synchronous commit and full page writes are on.
 *   <li>A measurement that lost a job fails; a job that was run again counts once. Workflow runs are jobs here, and fail it too if
 *       their results are wrong or steps are missing.
 *   <li>A slow peer gets fewer jobs: what is compared are rates.
 *   <li>Nothing depends on this module, and no peer is on its class path.
 * </ul>
 */
@NullMarked
package dev.muster.bench;

import org.jspecify.annotations.NullMarked;
