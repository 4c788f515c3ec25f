package dev.muster.postgres.jobs;

import java.util.Optional;

/**
 * How many stored values need one encryption key.
 *
 * @param key its id; empty: values in plain text
 * @param liveJobs jobs whose args it encrypted, and which have not ended
 * @param crons crons whose args it encrypted
 * @param idempotencyKeys idempotency keys whose jobs had args that it encrypted
 * @param endedJobs ended jobs of whose args and result it encrypted one or both; empty: not counted
 */
public record EncryptionKeyUse(
        Optional<String> key, long liveJobs, long crons, long idempotencyKeys, Optional<Long> endedJobs) {}
