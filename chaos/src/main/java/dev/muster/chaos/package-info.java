/**
 * Faults for real: nodes as processes of their own that can be killed and frozen, a proxy that does to
 * connections what networks do, and a witness that remembers what handlers did.
 *
 * <pre>
 *   test ── NodeProcess ──▶ node JVM ──▶ TcpProxy ──▶ PostgreSQL
 *     │                        │                          ▲
 *     └──────── Witness ◀──────┴── never through a fault ─┘
 * </pre>
 *
 * A fault is trusted only if the test has seen that it struck: a frozen process is asked for its state, a
 * proxy counts what it ate. Runs of workflows stand still at points that the test names, until their process is killed there.
 */
@NullMarked
package dev.muster.chaos;

import org.jspecify.annotations.NullMarked;
