/**
 * What the engine calls to tell of what it does: {@link dev.muster.internal.telemetry.TelemetryListeners} and, for tracers, {@link
 * dev.muster.internal.telemetry.Traces}. Neither costs anything if nobody listens; {@link dev.muster.telemetry} says what listeners are promised.
 */
@NullMarked
package dev.muster.internal.telemetry;

import org.jspecify.annotations.NullMarked;
