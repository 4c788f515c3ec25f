/** One small shop, and the jobs that misbehave: what {@code muster demo}, {@code dev} and {@code node --example} run. */
@NullMarked
package dev.muster.examples;

import org.jspecify.annotations.NullMarked;
