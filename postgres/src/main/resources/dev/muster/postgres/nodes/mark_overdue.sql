-- Marks a node that is overdue by the rule in muster_verdicts (R__functions_dead_nodes.sql) as stale or dead, or a stale node that sends heartbeats again as active. The
-- incarnation and the heartbeat are checked again while the row is locked: a node that came back meanwhile is left as it is. The status
-- draining survives.
WITH judging AS MATERIALIZED (
  SELECT {schema}.muster_judge_since(?, ? * interval '1 millisecond') AS since),
overdue AS MATERIALIZED (
  SELECT n.id, n.status AS before, v.verdict, v.seen
  FROM judging
  CROSS JOIN LATERAL {schema}.muster_verdicts(? * interval '1 millisecond', ? * interval '1 millisecond', judging.since) v
  JOIN {schema}.muster_nodes n ON n.id = ANY (ARRAY[v.id])
    AND n.incarnation = v.incarnation AND n.last_heartbeat = v.last_heartbeat AND n.status = v.status
  WHERE judging.since IS NOT NULL AND v.verdict <> v.status AND v.id = ?
  FOR UPDATE OF n SKIP LOCKED)
UPDATE {schema}.muster_nodes n
SET status = overdue.verdict, drain_requested = overdue.before = 'draining'
FROM overdue
WHERE n.id = ANY (ARRAY[overdue.id])
RETURNING n.id, n.incarnation, overdue.before, n.status, n.last_heartbeat,
          (date_part('epoch', {schema}.muster_clock() - overdue.seen) * 1000)::bigint AS silent_ms
