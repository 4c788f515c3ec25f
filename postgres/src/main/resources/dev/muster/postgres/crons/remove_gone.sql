-- Removes static crons that have been gone for 30 days, but none that an operator has paused: it would come back running.
DELETE FROM {schema}.muster_crons
WHERE source = 'static' AND paused_at IS NULL AND gone_at < {schema}.muster_clock() - interval '30 days'
