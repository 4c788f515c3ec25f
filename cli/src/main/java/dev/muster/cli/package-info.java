/**
 * The {@code muster} command. Each group of commands has a package of its own; {@code console} holds what they all
 * print with, {@code config} and {@code database} the options they share.
 *
 * <p>Standard output carries what was asked for and nothing else; everything said on the way goes to standard error.
 */
@NullMarked
package dev.muster.cli;

import org.jspecify.annotations.NullMarked;
