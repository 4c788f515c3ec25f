/** {@code muster jobs}: enqueue jobs, look at them, read their logs, cancel them, retry them. */
@NullMarked
package dev.muster.cli.jobs;

import org.jspecify.annotations.NullMarked;
