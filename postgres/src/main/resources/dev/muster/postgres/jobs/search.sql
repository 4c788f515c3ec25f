-- One step of a search: reads the next ids of each table, newest first, and returns which of these jobs match. Both tables are cut
-- off somewhere; down to the later of these two positions everything has been searched, and matches below are left to the next step.
-- It is one statement, so that it sees each job in exactly one of the tables. Along the indexes of the ids, or of the jobs of one tenant; it
-- searches a million rows of history in about a second.
WITH live AS MATERIALIZED (
  SELECT id, created_at, ({filter}) AS hit FROM {schema}.muster_jobs WHERE {search}{live} ORDER BY {order} LIMIT ?),
ended AS MATERIALIZED (
  SELECT id, created_at, ({filter}) AS hit FROM {schema}.muster_job_history WHERE {search}{ended} ORDER BY {order} LIMIT ?),
cut AS (
  (SELECT id, created_at FROM live ORDER BY id DESC OFFSET ? LIMIT 1)
  UNION ALL
  (SELECT id, created_at FROM ended ORDER BY id DESC OFFSET ? LIMIT 1)),
reached AS MATERIALIZED (SELECT id, created_at FROM cut ORDER BY id DESC LIMIT 1)
SELECT (SELECT id FROM reached) AS reached, (SELECT created_at FROM reached) AS reached_at,
       ARRAY (SELECT id FROM (SELECT id FROM live WHERE hit UNION ALL SELECT id FROM ended WHERE hit) found
              WHERE NOT EXISTS (SELECT FROM reached WHERE found.id < reached.id)
              ORDER BY id DESC LIMIT ?) AS found
