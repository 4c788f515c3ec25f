/**
 * Jobs and queues as users see them: enqueue, find, search, cancel and retry jobs, and jobs that depend on others.
 */
@NullMarked
package dev.muster.postgres.internal.jobs;

import org.jspecify.annotations.NullMarked;
