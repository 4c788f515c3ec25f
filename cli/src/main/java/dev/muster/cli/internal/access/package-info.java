/** {@code muster keys} and {@code muster audit}: who may use the gateway, and who did what. */
@NullMarked
package dev.muster.cli.internal.access;

import org.jspecify.annotations.NullMarked;
