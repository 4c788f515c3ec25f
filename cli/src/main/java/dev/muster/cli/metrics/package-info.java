/** {@code muster metrics}: recent throughput, failures and durations, from the metrics of each minute. */
@NullMarked
package dev.muster.cli.metrics;

import org.jspecify.annotations.NullMarked;
