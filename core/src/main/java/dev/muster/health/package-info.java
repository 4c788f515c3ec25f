/**
 * The HTTP health endpoints of a node, for load balancers, orchestrators and people with curl.
 *
 * <p>{@code GET /_api/health} returns 200 for as long as the process answers. {@code GET /_api/ready} returns 200 while the node
 * can do its work, and 503 otherwise: before the node is active, from the moment it drains, while its database or its wake-ups
 * are gone, and while it has been unable to claim and complete jobs for longer than a lease. Both need no login and tell nothing
 * that needs protection: the reason of a failure is in the node's log and in {@code Muster.health()}.
 */
@NullMarked
package dev.muster.health;

import org.jspecify.annotations.NullMarked;
