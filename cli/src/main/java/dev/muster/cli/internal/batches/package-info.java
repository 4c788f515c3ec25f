/** {@code muster batches}: list, show, create, seal and cancel. */
@NullMarked
package dev.muster.cli.internal.batches;

import org.jspecify.annotations.NullMarked;
