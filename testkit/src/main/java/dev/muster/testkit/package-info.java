/**
 * The test kit for users of Muster: a real PostgreSQL without installing one, a separate database for every test within
 * milliseconds, jobs that run on the test's thread, nodes with fault injection, and a clock that the test moves.
 *
 * <pre>
 *   {@link dev.muster.testkit.MusterTest}  ──▶  {@link dev.muster.testkit.Cluster}  ──▶  {@link dev.muster.testkit.Node}: a real node with fault switches
 *                       │
 *                       ├──▶  drain, runOne, run: on the test's thread, in order
 *                       └──▶  {@link dev.muster.testkit.FakeClock}: moves the clocks of the database and the nodes together
 *   {@link dev.muster.testkit.InlineJobs}: no database at all
 *   {@link dev.muster.testkit.MusterAssertions}: what was enqueued, how a job ended
 * </pre>
 */
@NullMarked
package dev.muster.testkit;

import org.jspecify.annotations.NullMarked;
