/**
 * {@code muster demo}: a cluster of real processes on one machine, two of which are killed, and a check of the outcome of every
 * acknowledged job and of the effects of every acknowledged order, which is a run of the example's workflow checkout.
 *
 * <p>Nothing outlives the command, however it ends: nodes end when the pipe to their standard input is closed. So does the
 * database's keeper process, which stops the database and removes its folder; all other files are in that folder too.
 */
@NullMarked
package dev.muster.cli.internal.demo;

import org.jspecify.annotations.NullMarked;
