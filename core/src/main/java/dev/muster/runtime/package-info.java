/**
 * What programs and all other packages share: the exceptions that Muster throws, the JSON port, patterns of names, a node's health, and the
 * clock by which it measures. What only the engine shares is in {@code dev.muster.internal.runtime}.
 */
@NullMarked
package dev.muster.runtime;

import org.jspecify.annotations.NullMarked;
