/** Reads {@code muster.toml} for the settings in {@link dev.muster.config}, which know nothing of files or TOML. */
@NullMarked
package dev.muster.cli.config;

import org.jspecify.annotations.NullMarked;
