-- Removes placements that nobody has enqueued with for a day and that no job has; index muster_jobs_ready answers the latter.
DELETE FROM {schema}.muster_placements p
WHERE p.used_at < {schema}.muster_clock() - interval '1 day'
  AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j
                  WHERE j.queue = p.queue AND j.capability = p.expression AND j.ready_at < 'infinity')
