/**
 * The options that say where settings come from, the commands that show them, and the reader of {@code muster.toml}:
 * the settings themselves, in {@link dev.muster.config}, know nothing of files or TOML.
 */
@NullMarked
package dev.muster.cli.config;

import org.jspecify.annotations.NullMarked;
