/** JobRunr beside Muster. */
@NullMarked
package dev.muster.migrating.jobrunr;

import org.jspecify.annotations.NullMarked;
