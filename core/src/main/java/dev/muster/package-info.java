/**
 * Muster: background jobs on nothing but PostgreSQL. Start at {@link dev.muster.Muster}.
 *
 * <pre>
 *   Muster          the entry point of a program: one node, and the APIs of its cluster
 *   ├─ MusterBuilder  what a program gives it; {@link dev.muster.MusterApp} does so for an application that {@code muster node} loads
 *   └─ ClusterApi     what programs use of a cluster, in the process of a node or over HTTP
 *   Gateway         a gateway that is part of another web server
 * </pre>
 *
 * <p>Packages named {@code internal} are not for programs: they may change at any time. {@code dev.muster.internal.assembly} puts a node together,
 * and {@code dev.muster.internal.provider} says what other jars provide for it.
 */
@NullMarked
package dev.muster;

import org.jspecify.annotations.NullMarked;
