/**
 * What users test with: a real PostgreSQL without installing one, a database of its own for every test in
 * milliseconds, jobs that run on the test's thread, nodes that run in the test and can be hurt, a clock to move.
 *
 * <pre>
 *   {@link dev.muster.testkit.MusterTest}  ──▶  {@link dev.muster.testkit.Cluster}  ──▶  {@link dev.muster.testkit.Node}: a real node with fault switches
 *                       │
 *                       ├──▶  drain, runOne, run: on the test's thread, in order
 *                       └──▶  {@link dev.muster.testkit.FakeClock}: the database's clock and the nodes', moved together
 *   {@link dev.muster.testkit.InlineJobs}: no database at all
 *   {@link dev.muster.testkit.MusterAssertions}: what was enqueued, how a job ended
 * </pre>
 */
@NullMarked
package dev.muster.testkit;

import org.jspecify.annotations.NullMarked;
