/** {@code muster crons}: list, create, change, pause and trigger crons. */
@NullMarked
package dev.muster.cli.internal.crons;

import org.jspecify.annotations.NullMarked;
