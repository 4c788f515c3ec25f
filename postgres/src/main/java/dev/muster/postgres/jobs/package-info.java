/**
 * Jobs and queues for those who use them: enqueue, find, search, cancel, retry, and jobs that depend on others.
 */
@NullMarked
package dev.muster.postgres.jobs;

import org.jspecify.annotations.NullMarked;
