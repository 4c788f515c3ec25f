/**
 * What the settings need and users do not: the reader of TOML that another jar provides, durations as text, and the nearest name to one that is wrong.
 */
@NullMarked
package dev.muster.internal.config;

import org.jspecify.annotations.NullMarked;
