/** Tests that every implementation of a port must pass. */
@NullMarked
package dev.muster.contracts;

import org.jspecify.annotations.NullMarked;
