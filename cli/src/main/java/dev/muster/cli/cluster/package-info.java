/** {@code muster cluster}: nodes and leaders. */
@NullMarked
package dev.muster.cli.cluster;

import org.jspecify.annotations.NullMarked;
