/**
 * Wake-ups: notifications that a lane has new work, so that an idle node claims it within milliseconds instead of at its next
 * poll. A lost wake-up costs time, never a job; nor does a coordinator that throws.
 */
@NullMarked
package dev.muster.wakeup;

import org.jspecify.annotations.NullMarked;
