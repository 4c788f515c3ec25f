/**
 * The gateway as a part of another web server: {@link dev.muster.gateway.GatewayServlet}, and {@link dev.muster.gateway.GatewayCallers}, which says
 * who calls. A node that opens a port of its own needs nothing of this package.
 */
@NullMarked
package dev.muster.gateway;

import org.jspecify.annotations.NullMarked;
