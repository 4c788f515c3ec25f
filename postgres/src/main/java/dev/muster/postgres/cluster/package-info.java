/**
 * Nodes, leaders, locks and daemons.
 */
@NullMarked
package dev.muster.postgres.cluster;

import org.jspecify.annotations.NullMarked;
