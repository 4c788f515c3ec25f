-- How many live runs a version has, up to a limit.
SELECT count(*) FROM (
  SELECT FROM {schema}.muster_workflow_runs r
  WHERE r.finished_at IS NULL AND r.workflow_name = ? AND r.workflow_version = ? AND (?::text IS NULL OR r.signature = ?) LIMIT 10001) r
