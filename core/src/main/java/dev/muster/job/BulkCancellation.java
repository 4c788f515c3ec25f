package dev.muster.job;

/**
 * What came of cancelling many jobs.
 *
 * @param cancelled ended at once
 * @param requested on a node, which was told
 */
public record BulkCancellation(int cancelled, int requested) {}
