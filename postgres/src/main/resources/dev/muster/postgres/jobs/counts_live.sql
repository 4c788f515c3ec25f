-- How many live jobs of each status match, as far as a bounded number of rows shows: claimed and running jobs through muster_claims, waiting
-- ones along their indexes, pending ones by their queue or by their ids. "looked_at" says how many rows were read.
WITH named AS MATERIALIZED (SELECT unnest(c.ids) AS id FROM {schema}.muster_claims c LIMIT ?),
held AS MATERIALIZED (
  SELECT status FROM {schema}.muster_jobs
  WHERE id = ANY (ARRAY (SELECT named.id FROM named)) AND status IN ('claimed', 'running') AND ({filter})),
waits AS MATERIALIZED (
  (SELECT ({filter}) AS hit FROM {schema}.muster_jobs WHERE ready_at = 'infinity' AND group_position IS NULL LIMIT ?)
  UNION ALL
  (SELECT ({filter}) AS hit FROM {schema}.muster_jobs WHERE concurrency_group IS NOT NULL AND ready_at = 'infinity' AND group_position IS NOT NULL LIMIT ?)),
live AS MATERIALIZED ({pending})
SELECT 'claimed' AS status, count(*) FILTER (WHERE status = 'claimed') AS jobs, (SELECT count(*) FROM named) AS looked_at FROM held
UNION ALL
SELECT 'running', count(*) FILTER (WHERE status = 'running'), (SELECT count(*) FROM named) FROM held
UNION ALL
SELECT 'waiting', count(*) FILTER (WHERE hit), count(*) FROM waits
UNION ALL
SELECT 'pending', count(*) FILTER (WHERE hit), count(*) FROM live
