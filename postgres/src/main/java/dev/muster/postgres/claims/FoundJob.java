package dev.muster.postgres.claims;

import dev.muster.job.Lane;

/** Where a job stands that a scan claimed, or a look saw. */
record FoundJob(Lane lane, int rank, long readyMicros) {}
