/**
 * Graphs of tasks in PostgreSQL. What is decided about tasks is decided by the functions in {@code R__functions_graphs.sql}, under the lock
 * on the graph's row.
 */
@NullMarked
package dev.muster.postgres.internal.graphs;

import org.jspecify.annotations.NullMarked;
