/**
 * How {@link dev.muster.job.Jobs} works: requests are checked here, once, and handed to the store. And how a node tells what
 * becomes of its jobs: {@link dev.muster.job.internal.Listeners}.
 */
@NullMarked
package dev.muster.job.internal;

import org.jspecify.annotations.NullMarked;
