/**
 * The REST routes, a class for each kind of thing. Their JSON is that of {@code dev.muster.document}, which the command line prints too.
 */
@NullMarked
package dev.muster.gateway.rest;

import org.jspecify.annotations.NullMarked;
