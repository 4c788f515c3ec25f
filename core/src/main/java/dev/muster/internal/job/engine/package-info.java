/**
 * The implementation of {@link dev.muster.job.Jobs}, which checks requests once and passes them to the store, and of the reports
 * about failed and expired jobs, {@link dev.muster.internal.job.engine.Listeners}.
 */
@NullMarked
package dev.muster.internal.job.engine;

import org.jspecify.annotations.NullMarked;
