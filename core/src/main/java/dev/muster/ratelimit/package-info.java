/**
 * Rate limits: at most N permits of a key in each window of time, in the whole cluster. {@link dev.muster.ratelimit.RateLimits} asks for permits; {@link
 * dev.muster.ratelimit.RateLimiterBackend} is what a program can put in the place of the database.
 */
@NullMarked
package dev.muster.ratelimit;

import org.jspecify.annotations.NullMarked;
