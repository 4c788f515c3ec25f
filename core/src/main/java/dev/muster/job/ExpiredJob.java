package dev.muster.job;

/**
 * A job that expired before a node claimed it.
 *
 * @param attempt the number of its last attempt; 0 if it never ran
 */
public record ExpiredJob(JobId id, String name, String queue, int attempt) {}
