/**
 * The rows by which nodes know of each other: heartbeats, who is alive, who leads, who holds a lock, who runs a daemon. {@code dev.muster.cluster},
 * {@code leader}, {@code lock} and {@code daemon} say what is promised; the rule of who is dead is in {@code R__functions_dead_nodes.sql}.
 */
@NullMarked
package dev.muster.postgres.internal.cluster;

import org.jspecify.annotations.NullMarked;
