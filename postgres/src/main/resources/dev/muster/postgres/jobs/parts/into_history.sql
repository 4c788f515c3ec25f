-- Enters jobs that end without an outcome of their own into history; finished_into_history.sql does it for jobs with an outcome. A
-- SELECT of the same columns follows.
INSERT INTO {schema}.muster_job_history
  ({kept}, token, finished_at, started_at, crashes, status, node_id, error, result)
