/**
 * {@link dev.muster.runtime.JsonCodec} over Jackson 2, found by {@link java.util.ServiceLoader}.
 *
 * <p>Writes what {@code dev.muster.json.jackson3} writes and refuses what it refuses, with the same
 * messages, so that nodes on either Jackson share one database. {@code JsonCodecContract} holds both
 * to that; a change of wording or strictness goes into both. One difference is Jackson's: a class
 * that is not a record needs setters or {@code @JsonCreator} here, where Jackson 3 finds parameter
 * names itself.
 */
@NullMarked
package dev.muster.json.jackson2;

import org.jspecify.annotations.NullMarked;
