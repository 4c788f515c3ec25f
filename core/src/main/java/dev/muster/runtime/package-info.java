/**
 * What every other package stands on: services with one way to start and stop, the monotonic clock,
 * name rules, and the JSON port.
 *
 * <p>A {@link dev.muster.runtime.Service} moves {@code NEW → RUNNING → STOPPED}, once. A {@link
 * dev.muster.runtime.Loop} is the service all background work is built on: it calls one step again
 * and again, sleeps as long as the step asked for or until it is woken, and survives a step that
 * throws: it logs the first failure, backs off, and says so in its health until a step succeeds.
 */
@NullMarked
package dev.muster.runtime;

import org.jspecify.annotations.NullMarked;
