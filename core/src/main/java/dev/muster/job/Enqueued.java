package dev.muster.job;

/**
 * The result of enqueuing a request.
 *
 * @param id the id of the job for this request
 * @param created whether the request created the job; false if a job with the request's key or id existed. A request with its own
 *     id that is sent again because its first acknowledgement was lost may find the job that it created itself.
 */
public record Enqueued(JobId id, boolean created) {}
