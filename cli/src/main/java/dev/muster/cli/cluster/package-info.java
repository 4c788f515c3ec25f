/** {@code muster cluster}: the nodes. */
@NullMarked
package dev.muster.cli.cluster;

import org.jspecify.annotations.NullMarked;
