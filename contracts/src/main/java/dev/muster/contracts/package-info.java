/**
 * Tests that every implementation of a port must pass. Each contract is an abstract class; an
 * implementation's test extends it and says how to make one.
 */
@NullMarked
package dev.muster.contracts;

import org.jspecify.annotations.NullMarked;
