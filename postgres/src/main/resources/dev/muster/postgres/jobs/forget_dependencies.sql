-- A part of statements that end jobs which nobody holds: what they waited for is forgotten.
edges AS (
  DELETE FROM {schema}.muster_job_dependencies d USING ended WHERE d.child = ANY (ARRAY[ended.id]))
