-- Ends jobs that nobody holds and that the filter names, by id from one on: each batch passes by what earlier ones ended.
WITH target AS MATERIALIZED (
  SELECT id FROM {schema}.muster_jobs WHERE id > ? AND status IN ('waiting', 'pending'){filter}
  ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED),
ended AS (DELETE FROM {schema}.muster_jobs j USING target WHERE j.id = ANY (ARRAY[target.id]) RETURNING j.*),
{jobs/cancel}
RETURNING id
