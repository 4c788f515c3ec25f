/** The OpenAPI 3.0 document, made from the list of routes. */
@NullMarked
package dev.muster.gateway.internal.openapi;

import org.jspecify.annotations.NullMarked;
