/**
 * The basis of all other packages: services with one way to start and stop, the monotonic clock, the rules for names, and the
 * JSON port.
 *
 * <p>A {@link dev.muster.runtime.Service} goes through {@code NEW → RUNNING → STOPPED} once. All background work is built on
 * {@link dev.muster.runtime.Loop}: it calls one step again and again, and sleeps for as long as the step asked for or until it
 * is woken. When a step throws, the loop goes on: it logs the first failure, backs off, and reports the failure in its health
 * until a step succeeds.
 */
@NullMarked
package dev.muster.runtime;

import org.jspecify.annotations.NullMarked;
