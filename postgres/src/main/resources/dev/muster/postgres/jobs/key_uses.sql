-- What needs which encryption keys. No index helps: this reads all live jobs, all crons, the keys of all runs and graphs, all runs of
-- workflows that are live or can be retried with their steps and events, all tasks of graphs that are live or can be retried, the jobs that
-- batches will enqueue and, on request, all of history. Args that are null, and those of graphs' tasks, which say only which task it is,
-- are not encrypted and do not count.
SELECT u.kid,
       count(*) FILTER (WHERE u.what = 'job') AS live_jobs,
       count(*) FILTER (WHERE u.what = 'cron') AS crons,
       count(*) FILTER (WHERE u.what = 'run') AS live_runs,
       count(*) FILTER (WHERE u.what = 'graph') AS live_graphs,
       coalesce(sum(u.many) FILTER (WHERE u.what = 'key'), 0)::bigint AS idempotency_keys,
       count(*) FILTER (WHERE u.what = 'ended') AS ended_jobs
FROM (
  SELECT 'job' AS what, CASE WHEN j.args ->> '$muster' <> 'plain' THEN j.args ->> 'kid' END AS kid, 1::bigint AS many
  FROM {schema}.muster_jobs j WHERE j.args <> 'null' AND j.args ->> '$muster' IS DISTINCT FROM 'graph'
  UNION ALL
  SELECT 'job', CASE WHEN w.args ->> '$muster' <> 'plain' THEN w.args ->> 'kid' END, 1
  FROM {schema}.muster_batch_jobs w WHERE w.args <> 'null'
  UNION ALL
  SELECT 'cron', CASE WHEN c.args ->> '$muster' <> 'plain' THEN c.args ->> 'kid' END, 1
  FROM {schema}.muster_crons c WHERE c.args <> 'null'
  UNION ALL
  SELECT 'key', k.args_kid, count(*) FROM {schema}.muster_job_keys k WHERE k.args_kid IS NOT NULL GROUP BY k.args_kid
  UNION ALL
  SELECT 'key', r.key_kid, count(*) FROM {schema}.muster_workflow_runs r WHERE r.key IS NOT NULL AND r.key_kid IS NOT NULL GROUP BY r.key_kid
  UNION ALL
  SELECT 'key', g.key_kid, count(*) FROM {schema}.muster_graphs g WHERE g.key_kid IS NOT NULL GROUP BY g.key_kid
  UNION ALL
  SELECT 'run', v.kid, 1
  FROM {schema}.muster_workflow_runs r
  CROSS JOIN LATERAL (
    SELECT r.input AS value
    UNION ALL
    SELECT unnest(ARRAY[CASE s.kind WHEN 'child' THEN (s.result ->> 'result')::jsonb ELSE s.result END, s.compensation_args]) FROM {schema}.muster_workflow_steps s
    WHERE s.run_id = r.id AND s.steps_from = r.steps_from AND s.kind <> 'time'
    UNION ALL
    SELECT CASE WHEN starts_with(e.name, 'muster:child:') THEN (e.payload ->> 'result')::jsonb ELSE e.payload END
    FROM {schema}.muster_workflow_events e WHERE e.run_id = r.id) p
  CROSS JOIN LATERAL (SELECT CASE WHEN p.value ->> '$muster' <> 'plain' THEN p.value ->> 'kid' END AS kid) v
  WHERE (r.finished_at IS NULL OR r.status = 'failed') AND p.value <> 'null'
  GROUP BY r.id, v.kid
  UNION ALL
  SELECT 'graph', v.kid, 1
  FROM {schema}.muster_graphs g
  JOIN {schema}.muster_graph_tasks t ON t.graph_id = g.id
  CROSS JOIN LATERAL (SELECT unnest(ARRAY[t.inputs, t.result]) AS value) p
  CROSS JOIN LATERAL (SELECT CASE WHEN p.value ->> '$muster' <> 'plain' THEN p.value ->> 'kid' END AS kid) v
  WHERE (g.finished_at IS NULL OR g.status IN ('failed', 'cancelled')) AND p.value <> 'null'
  GROUP BY g.id, v.kid
  UNION ALL
  SELECT 'ended', e.kid, 1
  FROM {schema}.muster_job_history h
  CROSS JOIN LATERAL (
    SELECT CASE WHEN h.args ->> '$muster' <> 'plain' THEN h.args ->> 'kid' END AS kid
    WHERE h.args <> 'null' AND h.args ->> '$muster' IS DISTINCT FROM 'graph'
    UNION
    SELECT CASE WHEN h.result ->> '$muster' <> 'plain' THEN h.result ->> 'kid' END WHERE h.result IS NOT NULL) e
  WHERE ?) u
GROUP BY u.kid
ORDER BY u.kid NULLS LAST
