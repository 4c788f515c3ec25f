/**
 * The reader of {@code muster.toml}, over Jackson 3. {@code muster-json-jackson3} brings it along; whoever takes another
 * {@link dev.muster.runtime.JsonCodec} and has a {@code muster.toml} adds it.
 */
@NullMarked
package dev.muster.toml.internal;

import org.jspecify.annotations.NullMarked;
