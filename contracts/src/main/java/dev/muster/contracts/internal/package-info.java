/** Tests that every implementation of a port to the database must pass. */
@NullMarked
package dev.muster.contracts.internal;

import org.jspecify.annotations.NullMarked;
