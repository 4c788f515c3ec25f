/**
 * Batches: jobs that belong together, with a job that runs when they have ended. Begin at {@link dev.muster.batch.Batches}.
 *
 * <pre>
 *   open ── seal ──▶ sealed ── its condition is decided ──▶ succeeded | failed | cancelled
 * </pre>
 */
@NullMarked
package dev.muster.batch;

import org.jspecify.annotations.NullMarked;
