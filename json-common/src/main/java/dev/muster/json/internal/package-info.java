/** Error messages about JSON that does not fit its type, shared by the codecs over Jackson 2 and 3. For the codecs only. */
@NullMarked
package dev.muster.json.internal;

import org.jspecify.annotations.NullMarked;
