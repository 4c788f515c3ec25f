/**
 * The nodes of a cluster: each has a row that says who it is and when it was last heard of.
 *
 * <p>A node's life: {@code joining → active → draining → (row removed)}. A node that starts under the
 * id of an existing row takes the row over with a new incarnation; the old one's heartbeats then
 * change nothing.
 */
@NullMarked
package dev.muster.cluster;

import org.jspecify.annotations.NullMarked;
