/** {@code muster crons}: look at crons, create, change, pause and trigger them. */
@NullMarked
package dev.muster.cli.crons;

import org.jspecify.annotations.NullMarked;
