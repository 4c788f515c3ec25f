-- Locks those of the given crons that are due and that no other transaction has locked. By the primary key.
{crons/parts/columns}
WHERE name = ANY (?) AND paused_at IS NULL AND gone_at IS NULL
  AND (next_tick IS NULL OR next_tick <= {schema}.muster_clock())
  AND (retry_at IS NULL OR retry_at <= {schema}.muster_clock())
ORDER BY name FOR NO KEY UPDATE SKIP LOCKED
