-- The driver of a live run r. The limit keeps the planner from comparing each run with each job.
(SELECT d.token FROM {schema}.muster_jobs d WHERE d.id = r.id AND r.finished_at IS NULL LIMIT 1)
