-- Records what new jobs wait for, in their rows and as edges, and returns the parents that exist neither as live nor as ended jobs.
WITH edge AS MATERIALIZED (SELECT * FROM unnest(?::uuid[], ?::uuid[], ?::bool[]) AS e (child, parent, any_outcome)),
recorded AS (
  INSERT INTO {schema}.muster_job_dependencies (child, parent, any_outcome) SELECT child, parent, any_outcome FROM edge
  ON CONFLICT DO NOTHING),
kept AS (
  UPDATE {schema}.muster_jobs j SET depends_on = parents.completed, depends_on_any = parents.ended
  FROM (SELECT child, array_agg(parent) FILTER (WHERE NOT any_outcome) AS completed,
               array_agg(parent) FILTER (WHERE any_outcome) AS ended
        FROM edge GROUP BY child) parents
  WHERE j.id = ANY (ARRAY[parents.child]))
SELECT DISTINCT parent FROM edge e
WHERE NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = e.parent OFFSET 0)
  AND NOT EXISTS (SELECT FROM {schema}.muster_job_history h WHERE h.id = e.parent OFFSET 0)
