/** {@code muster graphs}: submit, list, show, cancel and retry. */
@NullMarked
package dev.muster.cli.graphs;

import org.jspecify.annotations.NullMarked;
