/** {@code muster metrics}: recent throughput, failures and durations, from the metrics of each minute. */
@NullMarked
package dev.muster.cli.internal.metrics;

import org.jspecify.annotations.NullMarked;
