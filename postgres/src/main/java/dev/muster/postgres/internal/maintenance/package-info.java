/**
 * Drops what is older than its retention, writes the metrics of each minute, and lifts jobs that wait behind higher priorities.
 */
@NullMarked
package dev.muster.postgres.internal.maintenance;

import org.jspecify.annotations.NullMarked;
