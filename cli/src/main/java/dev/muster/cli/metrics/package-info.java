/** {@code muster metrics}: what became of jobs lately, from the figures per minute. */
@NullMarked
package dev.muster.cli.metrics;

import org.jspecify.annotations.NullMarked;
