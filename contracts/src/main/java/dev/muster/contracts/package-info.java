/** Tests that implementations of what users may replace must pass: a codec, an executor. */
@NullMarked
package dev.muster.contracts;

import org.jspecify.annotations.NullMarked;
