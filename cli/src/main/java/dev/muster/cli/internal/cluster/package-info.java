/** {@code muster cluster}: nodes and leaders. */
@NullMarked
package dev.muster.cli.internal.cluster;

import org.jspecify.annotations.NullMarked;
