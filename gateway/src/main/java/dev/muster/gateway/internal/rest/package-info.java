/**
 * The REST routes, a class for each kind of thing. Their JSON is that of {@code dev.muster.document.internal}, which the command line prints too.
 */
@NullMarked
package dev.muster.gateway.internal.rest;

import org.jspecify.annotations.NullMarked;
