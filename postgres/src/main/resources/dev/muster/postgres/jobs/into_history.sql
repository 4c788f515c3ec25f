-- How jobs that end without an outcome of their own are entered in history; ended.sql has the list for those that have one. A
-- SELECT of the same columns follows.
INSERT INTO {schema}.muster_job_history
  ({kept}, token, finished_at, started_at, crashes, status, node_id, error, result)
