/** {@code muster graphs}: submit, list, show, cancel and retry. */
@NullMarked
package dev.muster.cli.internal.graphs;

import org.jspecify.annotations.NullMarked;
