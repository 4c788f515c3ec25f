-- Removes placements that nobody has enqueued with for a day and that no job has, nor a task or a batch that will enqueue one. Index
-- muster_jobs_ready answers for the jobs that are due or will be; the tasks are those of live graphs. For jobs that wait for others or stand
-- in a group, partial indexes are walked, and for jobs that run the notes of claims, and only if there is something to remove: what they have
-- counts as used now, so that this happens once a day. A placement that somebody is noting the use of is left alone.
WITH old AS MATERIALIZED (
  SELECT p.queue, p.expression FROM {schema}.muster_placements p
  WHERE p.used_at < {schema}.muster_clock() - interval '1 day'
    AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j
                    WHERE j.queue = p.queue AND j.capability = p.expression AND j.ready_at < 'infinity')
    AND NOT EXISTS (SELECT FROM {schema}.muster_graphs g JOIN {schema}.muster_graph_tasks t ON t.graph_id = g.id AND t.status = 'waiting'
                    WHERE g.finished_at IS NULL AND t.queue = p.queue AND t.capability = p.expression)
    AND NOT EXISTS (SELECT FROM {schema}.muster_batch_jobs b WHERE b.queue = p.queue AND b.capability = p.expression)
  FOR UPDATE OF p SKIP LOCKED),
held AS MATERIALIZED (
  SELECT j.queue, j.capability FROM {schema}.muster_jobs j
  WHERE EXISTS (SELECT FROM old) AND j.ready_at = 'infinity' AND j.group_position IS NULL
    AND (j.queue, j.capability) IN (SELECT queue, expression FROM old)
  UNION
  SELECT j.queue, j.capability FROM {schema}.muster_jobs j
  WHERE EXISTS (SELECT FROM old) AND j.concurrency_group IS NOT NULL AND (j.queue, j.capability) IN (SELECT queue, expression FROM old)
  UNION
  SELECT j.queue, j.capability FROM {schema}.muster_claims c CROSS JOIN unnest(c.ids) AS claimed (id) JOIN {schema}.muster_jobs j ON j.id = claimed.id
  WHERE EXISTS (SELECT FROM old) AND (j.queue, j.capability) IN (SELECT queue, expression FROM old)),
kept AS (
  UPDATE {schema}.muster_placements p SET used_at = {schema}.muster_clock()
  FROM held WHERE p.queue = held.queue AND p.expression = held.capability)
DELETE FROM {schema}.muster_placements p USING old
WHERE p.queue = old.queue AND p.expression = old.expression
  AND NOT EXISTS (SELECT FROM held WHERE held.queue = old.queue AND held.capability = old.expression)
