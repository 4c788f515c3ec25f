-- How many of these runs, whose rows are locked, have failed and were not retried since the caller looked at them.
SELECT count(*)::int
FROM unnest(?::uuid[], ?::timestamptz[]) AS seen (id, failed_at)
JOIN {schema}.muster_workflow_runs r ON r.id = ANY (ARRAY[seen.id]) AND r.status = 'failed' AND r.finished_at = seen.failed_at
