/** How {@link dev.muster.job.Jobs} works: requests are checked here, once, and handed to the store. */
@NullMarked
package dev.muster.job.internal;

import org.jspecify.annotations.NullMarked;
