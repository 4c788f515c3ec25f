package dev.muster.internal.job.store;

import dev.muster.job.JobId;

/** Identifies one claim of one job; every write for the claim names it. */
public record ClaimRef(JobId id, long token) {}
