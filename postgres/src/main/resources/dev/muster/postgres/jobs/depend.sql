-- Records what new jobs wait for, and names the parents that do not exist, live or ended.
WITH edge AS MATERIALIZED (SELECT * FROM unnest(?::uuid[], ?::uuid[]) AS e (child, parent)),
recorded AS (
  INSERT INTO {schema}.muster_job_dependencies (child, parent) SELECT child, parent FROM edge ON CONFLICT DO NOTHING)
SELECT DISTINCT parent FROM edge e
WHERE NOT EXISTS (SELECT FROM {schema}.muster_jobs j WHERE j.id = e.parent OFFSET 0)
  AND NOT EXISTS (SELECT FROM {schema}.muster_job_history h WHERE h.id = e.parent OFFSET 0)
