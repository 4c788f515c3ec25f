package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;

/** The position of a job that a scan claimed or a probe found. */
record FoundJob(Lane lane, int rank, long readyMicros) {}
