-- A part of statements that end unclaimed jobs: deletes their edges to the jobs they waited for.
edges AS (
  DELETE FROM {schema}.muster_job_dependencies d USING ended WHERE d.child = ANY (ARRAY[ended.id]))
