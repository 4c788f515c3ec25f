-- How many of these runs, whose rows are locked, have failed and were not retried since the caller looked at them. A child whose parent has
-- ended otherwise than completed counts only together with it: alone it would be asked to end at once, see cancel_orphans.sql.
WITH seen AS MATERIALIZED (SELECT * FROM unnest(?::uuid[], ?::timestamptz[]) AS seen (id, failed_at))
SELECT count(*)::int
FROM seen
JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[seen.id]) AND r.status = 'failed' AND r.finished_at = seen.failed_at
WHERE NOT EXISTS (
  SELECT FROM {schema}.muster_workflow_runs p
  WHERE p.id = ANY (ARRAY[r.parent_run]) AND p.finished_at IS NOT NULL AND p.status <> 'completed' AND p.id NOT IN (SELECT s.id FROM seen s))
