-- Removes placements that nobody has enqueued with for a day and that no job has, nor a task or a batch that will enqueue one. Index
-- muster_jobs_ready answers for the jobs; the tasks are those of live graphs.
DELETE FROM {schema}.muster_placements p
WHERE p.used_at < {schema}.muster_clock() - interval '1 day'
  AND NOT EXISTS (SELECT FROM {schema}.muster_jobs j
                  WHERE j.queue = p.queue AND j.capability = p.expression AND j.ready_at < 'infinity')
  AND NOT EXISTS (SELECT FROM {schema}.muster_graphs g JOIN {schema}.muster_graph_tasks t ON t.graph_id = g.id AND t.status = 'waiting'
                  WHERE g.finished_at IS NULL AND t.queue = p.queue AND t.capability = p.expression)
  AND NOT EXISTS (SELECT FROM {schema}.muster_batch_jobs b WHERE b.queue = p.queue AND b.capability = p.expression)
