package dev.muster.job;

/**
 * The result of cancelling many jobs.
 *
 * @param cancelled how many jobs ended at once
 * @param requested how many jobs are on a node, which was told to stop them
 */
public record BulkCancellation(int cancelled, int requested) {}
