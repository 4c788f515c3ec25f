/**
 * The {@code muster} command. Each group of commands has its own package; {@code console} contains the output classes, {@code
 * config} and {@code database} the shared options.
 *
 * <p>Standard output carries only the result; hints, progress and errors go to standard error.
 */
@NullMarked
package dev.muster.cli;

import org.jspecify.annotations.NullMarked;
