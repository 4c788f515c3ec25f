/** {@code muster daemons}: where daemons run, and those that do not. */
@NullMarked
package dev.muster.cli.daemons;

import org.jspecify.annotations.NullMarked;
