-- The common end of finish.sql and finish_by_ctid.sql: the columns that history keeps of a claim that has ended with an outcome o.
-- No outcome means completed; the error of an earlier failed attempt is kept. Everything is computed here, because PostgreSQL stores
-- the rows that pass from the deletion to the insertion: so only the needed columns pass (parameters in the list instead of a table
-- save 8 % of the statement). The start is computed before the end, so that it is not later.
RETURNING {kept}, token,
  coalesce(started_at, {schema}.muster_clock() - ran_ms * interval '1 millisecond') AS started_at,
  {schema}.muster_clock() AS finished_at, crashes,
  coalesce(outcome, 'completed') AS status, node_id,
  coalesce(failure, error) AS error, answer::jsonb AS result)
INSERT INTO {schema}.muster_job_history
  ({kept}, token, started_at, finished_at, crashes, status, node_id, error, result)
SELECT * FROM ended
