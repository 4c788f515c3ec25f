/**
 * {@code muster demo}: a cluster of real processes on one machine, one of which is killed, and a count of what became
 * of every job that was acknowledged.
 *
 * <p>Nothing outlives the command: nodes end when the pipe to their standard input does, the database's keeper likewise
 * stops the database and removes its folder, in which everything else lies too.
 */
@NullMarked
package dev.muster.cli.demo;

import org.jspecify.annotations.NullMarked;
