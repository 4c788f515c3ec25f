/** {@code muster encryption}: which encryption keys stored values still need. */
@NullMarked
package dev.muster.cli.internal.encryption;

import org.jspecify.annotations.NullMarked;
