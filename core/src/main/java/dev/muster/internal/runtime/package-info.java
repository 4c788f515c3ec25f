/**
 * The basis of the engine; programs do not use this package: services with one way to start and stop, waits, the rules for names, texts and
 * times, what is known of commits and reads, and JSON as trees and as the text that jsonb has.
 *
 * <p>A {@link dev.muster.internal.runtime.Service} goes through {@code NEW → RUNNING → STOPPED} once. All background work is built on
 * {@link dev.muster.internal.runtime.Loop}: it calls one step again and again, and sleeps for as long as the step asked for or until it
 * is woken. When a step throws, the loop carries on: it logs the first failure, backs off, and reports the failure in its health
 * until a step succeeds.
 */
@NullMarked
package dev.muster.internal.runtime;

import org.jspecify.annotations.NullMarked;
