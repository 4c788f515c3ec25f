/**
 * Live events: what happens in the cluster, for people who look at it. A client gets every job that has ended and is still in history once, or counted,
 * or is told to start again; a {@link dev.muster.event.Position} says how far it has come.
 */
@NullMarked
package dev.muster.event;

import org.jspecify.annotations.NullMarked;
