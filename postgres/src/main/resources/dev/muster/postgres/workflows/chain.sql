-- The first and the last run of the chain of runs to which a run belongs.
WITH RECURSIVE chain AS (
  SELECT r.id, r.first_run, r.continued_as FROM {schema}.muster_workflow_runs r WHERE r.id = ?
  UNION ALL
  SELECT r.id, r.first_run, r.continued_as FROM chain JOIN {schema}.muster_workflow_runs r ON r.id = chain.continued_as)
SELECT coalesce(first_run, id), id FROM chain
WHERE NOT EXISTS (SELECT FROM {schema}.muster_workflow_runs r WHERE r.id = chain.continued_as)
