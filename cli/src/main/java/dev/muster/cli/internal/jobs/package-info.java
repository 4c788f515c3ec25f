/** {@code muster jobs}: enqueue, list, show, cancel and retry jobs, and read their logs. */
@NullMarked
package dev.muster.cli.internal.jobs;

import org.jspecify.annotations.NullMarked;
