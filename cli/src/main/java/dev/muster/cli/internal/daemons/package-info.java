/** {@code muster daemons}: list daemons and reset failed ones. */
@NullMarked
package dev.muster.cli.internal.daemons;

import org.jspecify.annotations.NullMarked;
