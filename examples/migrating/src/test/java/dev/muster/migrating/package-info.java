/**
 * The code that the guides for moving to Muster show, for both sides, and tests that run it.
 *
 * <p>Lines between {@code // show: name} and {@code // end} are quoted by a guide; {@code GuidesTest} compares. {@link
 * dev.muster.migrating.MusterSide} is what all guides compare with. Each of the other packages has the same jobs as one other library
 * writes them, the code that moves pending jobs, and a test that runs both libraries in one database.
 */
@NullMarked
package dev.muster.migrating;

import org.jspecify.annotations.NullMarked;
