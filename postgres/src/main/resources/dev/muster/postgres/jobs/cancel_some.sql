-- Cancels unclaimed jobs that match the filter, in the order of their ids from a given one on, so that each chunk skips what
-- earlier chunks have ended.
WITH target AS MATERIALIZED (
  SELECT id FROM {schema}.muster_jobs WHERE {after} AND status IN ('waiting', 'pending'){filter}
  ORDER BY {order} LIMIT ? FOR UPDATE SKIP LOCKED),
ended AS (DELETE FROM {schema}.muster_jobs j USING target WHERE j.id = ANY (ARRAY[target.id]) RETURNING j.*),
{jobs/parts/cancelled_into_history}
RETURNING id
