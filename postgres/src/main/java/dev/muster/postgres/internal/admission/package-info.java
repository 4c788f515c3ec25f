/**
 * Concurrency groups of jobs in PostgreSQL; {@link dev.muster.internal.admission} describes states and rules, {@code R__functions_admission.sql} admits jobs.
 * {@link dev.muster.postgres.internal.admission.AdmissionSweep} finds the jobs that nobody has admitted, by the time at which they are due, and
 * {@link dev.muster.postgres.internal.admission.AdmissionFloor} is the position from which it continues.
 */
@NullMarked
package dev.muster.postgres.internal.admission;

import org.jspecify.annotations.NullMarked;
