/**
 * Traces of jobs and workflows with OpenTelemetry: {@link dev.muster.opentelemetry.OpenTelemetryTracing} makes the spans.
 *
 * <pre>{@code
 * Muster.builder()
 *     .dataSource(dataSource)
 *     .tracing(new OpenTelemetryTracing(GlobalOpenTelemetry.get()))
 * }</pre>
 *
 * <p>Only the API of OpenTelemetry is needed here; which spans are kept and where they go is for the SDK or the agent of the program to say.
 */
@NullMarked
package dev.muster.opentelemetry;

import org.jspecify.annotations.NullMarked;
