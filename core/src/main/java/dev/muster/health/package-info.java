/**
 * What a node says about itself over HTTP, to whoever asks: load balancers, orchestrators, people with curl.
 *
 * <p>{@code GET /_api/health} is 200 for as long as the process answers. {@code GET /_api/ready} is 200 while the node can do
 * its work and 503 otherwise: before it is active, from the moment it drains, while its database or its wake-ups are gone, and
 * while it can neither claim nor complete jobs for longer than a lease. Both are open and tell nothing that needs protection: why a node fails
 * stands in its log and in {@code Muster.health()}.
 */
@NullMarked
package dev.muster.health;

import org.jspecify.annotations.NullMarked;
