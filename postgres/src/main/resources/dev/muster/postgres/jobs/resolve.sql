-- For locked waiting jobs: deletes edges to parents that ended as required. A job that has no more edges becomes pending, or takes its
-- position in its concurrency group. A job with a parent that ended otherwise is cancelled. A parent is either live or in history, and one
-- snapshot tells which.
-- Many jobs may wait for one. NOT IN looks in a hash table; NOT EXISTS would go through all edges for each job. The first OFFSET 0 keeps
-- the status from being looked up wherever it is used. coalesce: or else the planner may walk over all jobs that wait, by their index,
-- for each that is to be cancelled.
WITH edge AS MATERIALIZED (
  SELECT d.child, d.parent, p.status, d.any_outcome OR p.status IS NOT DISTINCT FROM 'completed' AS satisfied
  FROM {schema}.muster_job_dependencies d
  CROSS JOIN LATERAL (SELECT (SELECT h.status FROM {schema}.muster_job_history h WHERE h.id = d.parent
                              ORDER BY h.finished_at DESC LIMIT 1) AS status OFFSET 0) p
  WHERE d.child = ANY (?::uuid[]) AND NOT EXISTS (SELECT FROM {schema}.muster_jobs p WHERE p.id = d.parent OFFSET 0)),
doomed AS MATERIALIZED (
  SELECT DISTINCT ON (child) child, parent, coalesce(status, 'gone from history') AS status
  FROM edge WHERE NOT satisfied ORDER BY child, parent),
dropped AS (
  DELETE FROM {schema}.muster_job_dependencies d
  USING edge
  WHERE d.child = ANY (ARRAY[edge.child]) AND d.parent = ANY (ARRAY[edge.parent]) AND edge.satisfied
  RETURNING d.child),
abandoned AS (
  DELETE FROM {schema}.muster_job_dependencies d USING doomed WHERE d.child = ANY (ARRAY[doomed.child])
    AND (d.child, d.parent) NOT IN (SELECT edge.child, edge.parent FROM edge WHERE edge.satisfied)),
freed AS (
  UPDATE {schema}.muster_jobs j
  SET status = CASE WHEN j.concurrency_group IS NULL THEN 'pending' ELSE 'waiting' END,
      ready_at = CASE WHEN j.concurrency_group IS NULL THEN greatest(j.run_at, {schema}.muster_clock()) ELSE 'infinity' END,
      group_position = CASE WHEN j.concurrency_group IS NULL THEN NULL
                     WHEN j.run_at <= {schema}.muster_statement_clock() THEN {schema}.muster_position_in_group(j.concurrency_group)
                     ELSE greatest(j.run_at, {schema}.muster_group_clock()) END,
      rank = CASE WHEN j.concurrency_group IS NULL THEN j.rank
                  ELSE {schema}.muster_rank_in_group(j.concurrency_group, j.priority, j.run_at <= {schema}.muster_statement_clock()) END
  WHERE j.id = ANY (?::uuid[]) AND j.ready_at = 'infinity' AND j.group_position IS NULL
    AND j.id NOT IN (SELECT doomed.child FROM doomed)
    AND NOT EXISTS (
      SELECT FROM {schema}.muster_job_dependencies d
      WHERE d.child = j.id AND (d.child, d.parent) NOT IN (SELECT edge.child, edge.parent FROM edge WHERE edge.satisfied)
      OFFSET 0)
  RETURNING j.id, j.queue, j.capability, j.concurrency_group),
ended AS (
  DELETE FROM {schema}.muster_jobs j USING doomed WHERE j.id = ANY (ARRAY[doomed.child])
    AND coalesce(j.ready_at = 'infinity', false) AND j.group_position IS NULL
  RETURNING j.*, doomed.parent AS lost_parent, doomed.status AS lost_status),
history AS (
  {jobs/parts/into_history}
  SELECT {kept}, NULL, {schema}.muster_clock(), NULL, crashes, 'cancelled', NULL,
         {phrase:lost_parent} || lost_parent || ', which is ' || lost_status, NULL
  FROM ended
  RETURNING id)
SELECT id, queue, capability, concurrency_group FROM freed
UNION ALL
SELECT id, NULL, NULL, NULL FROM history
