/**
 * Routes as data: method, path, who may use it, what it takes and answers, and the handler. The server, the OpenAPI document, the
 * reference in the docs, and the tests of authorisation and of the client are made from the one list of them.
 *
 * <p>A handler gets a {@link dev.muster.gateway.internal.route.Call}, which has been authorised, and returns an {@link
 * dev.muster.gateway.internal.route.Answer} or throws a {@link dev.muster.gateway.internal.route.Refusal}. It knows nothing of the HTTP server.
 */
@NullMarked
package dev.muster.gateway.internal.route;

import org.jspecify.annotations.NullMarked;
