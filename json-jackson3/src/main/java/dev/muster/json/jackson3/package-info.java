/**
 * {@link dev.muster.runtime.JsonCodec} over Jackson 3, found by {@link java.util.ServiceLoader}.
 *
 * <p>Writes what {@code dev.muster.json.jackson2} writes and refuses what it refuses, with the same
 * messages, so that nodes on either Jackson share one database. {@code JsonCodecContract} holds both
 * to that; a change of wording or strictness goes into both.
 */
@NullMarked
package dev.muster.json.jackson3;

import org.jspecify.annotations.NullMarked;
