/**
 * One small program per feature. Each class can be read alone: its Javadoc says what it shows and what it prints. A test runs
 * each of them on an empty database and compares what it prints; the docs quote their lines.
 */
@NullMarked
package dev.muster.examples.feature;

import org.jspecify.annotations.NullMarked;
