-- The jobs that hold an idempotency key: of one name, or of each name that has keys. The index begins with the name, so the names are
-- visited one after the other, each with one step along the index; there are as many as there are kinds of jobs with keys.
WITH RECURSIVE wanted (name, key) AS (VALUES (?::text, ?::text)),
names (name) AS (
  (SELECT coalesce(w.name, (SELECT k.name FROM {schema}.muster_job_keys k ORDER BY k.name LIMIT 1)) FROM wanted w)
  UNION ALL
  SELECT (SELECT k.name FROM {schema}.muster_job_keys k WHERE k.name > n.name ORDER BY k.name LIMIT 1)
  FROM names n CROSS JOIN wanted w WHERE n.name IS NOT NULL AND w.name IS NULL)
SELECT k.job_id
FROM names n CROSS JOIN wanted w
JOIN {schema}.muster_job_keys k ON k.name = n.name AND k.key = w.key
LIMIT 10000
