package dev.muster.job.payload;

import java.util.Optional;

/**
 * How many stored values need one encryption key.
 *
 * @param key the key's id; empty for values in plain text
 * @param liveJobs how many live jobs have args encrypted with it
 * @param crons how many crons have args encrypted with it
 * @param liveRuns how many live runs of workflows have an input, a step or an event encrypted with it
 * @param liveGraphs how many live graphs have inputs or a result encrypted with it
 * @param idempotencyKeys how many idempotency keys have a hash made with it
 * @param endedJobs how many ended jobs have args or a result encrypted with it; empty if not counted
 */
public record EncryptionKeyUse(
        Optional<String> key,
        long liveJobs,
        long crons,
        long liveRuns,
        long liveGraphs,
        long idempotencyKeys,
        Optional<Long> endedJobs) {}
