-- The newest attempts of a job that have ended, by the tokens of their claims, which ascend. Along index muster_job_attempts_job of
-- each day, and for the last attempt along index muster_job_history_id. A job that nobody had claimed ended without an attempt. The
-- error of a completed job is that of an earlier attempt.
(SELECT token, attempt, node_id, started_at, ended_at, outcome, error
 FROM {schema}.muster_job_attempts WHERE job_id = ? ORDER BY token DESC LIMIT ?)
UNION ALL
SELECT token, attempt, node_id, started_at, finished_at, status, CASE WHEN status <> 'completed' THEN error END
FROM {schema}.muster_job_history WHERE id = ? AND token IS NOT NULL
ORDER BY token DESC LIMIT ?
