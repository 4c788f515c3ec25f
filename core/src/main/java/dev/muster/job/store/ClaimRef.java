package dev.muster.job.store;

import dev.muster.job.JobId;

/** One claim of one job: what every write about it must name. */
public record ClaimRef(JobId id, long token) {}
