/**
 * What the tests of all modules share.
 *
 * <p>A test in {@code ./verify} must pass on a busy machine, at any hour, in any order: it waits for what it wants to see, for as long
 * as that takes ({@link dev.muster.testing.WaitingDefaults}), and asserts nothing that the scheduler decides. What needs a quiet
 * machine, a long time or a large database is a {@link dev.muster.testing.LongTest}, runs at its {@linkplain
 * dev.muster.testing.Sizes full size} or is {@linkplain dev.muster.testing.Measured measured} in {@code ./verify --long} only.
 */
package dev.muster.testing;
