/**
 * The implementation of {@link dev.muster.job.Jobs}, which checks requests once and passes them to the store, and of the reports
 * about failed and expired jobs, {@link dev.muster.job.internal.Listeners}.
 */
@NullMarked
package dev.muster.job.internal;

import org.jspecify.annotations.NullMarked;
