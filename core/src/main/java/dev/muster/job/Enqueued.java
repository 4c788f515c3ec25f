package dev.muster.job;

/**
 * What came of a request to enqueue a job.
 *
 * @param id the id of the job that stands for the request
 * @param created whether the request created it; false: a job with the request's key or id was there before. A request that
 *     had to be sent again because its first acknowledgement was lost, and that names an id of its own, may find the job
 *     that it created itself.
 */
public record Enqueued(JobId id, boolean created) {}
