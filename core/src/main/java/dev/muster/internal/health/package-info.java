/** The server of a node's health if no gateway is there: it answers with {@link dev.muster.health.Probes} alone. */
@NullMarked
package dev.muster.internal.health;

import org.jspecify.annotations.NullMarked;
