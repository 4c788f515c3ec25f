/**
 * Wake-ups: hints that a lane has new work, so that an idle node claims within milliseconds instead
 * of at its next poll. Losing every one of them costs time, never a job.
 */
@NullMarked
package dev.muster.wakeup;

import org.jspecify.annotations.NullMarked;
