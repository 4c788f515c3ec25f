/** The options that say where settings come from, and the commands that show and describe them. */
@NullMarked
package dev.muster.cli.config;

import org.jspecify.annotations.NullMarked;
