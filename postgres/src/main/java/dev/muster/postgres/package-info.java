/**
 * The PostgreSQL store. Nodes find it by themselves; programs use {@link dev.muster.postgres.PrimaryDataSource} where several servers take turns.
 */
@NullMarked
package dev.muster.postgres;

import org.jspecify.annotations.NullMarked;
