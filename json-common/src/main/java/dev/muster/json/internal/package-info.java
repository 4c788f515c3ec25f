/** The words for JSON that does not fit, the same whichever Jackson found it. For the codecs only. */
@NullMarked
package dev.muster.json.internal;

import org.jspecify.annotations.NullMarked;
