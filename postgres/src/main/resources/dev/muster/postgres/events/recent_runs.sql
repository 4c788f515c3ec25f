-- The newest runs by their ids, which begin with the time, and those that have ended last. From the upper ends of the primary key and of
-- index muster_workflow_runs_ended.
(SELECT r.id, r.workflow_name, {events/parts/run_status} AS status, r.changed_at
 FROM {schema}.muster_workflow_runs r
 LEFT JOIN LATERAL {events/parts/driver} j ON true
 WHERE r.id >= ?
 ORDER BY r.id DESC LIMIT ?)
UNION ALL
(SELECT r.id, r.workflow_name, r.status, r.changed_at
 FROM {schema}.muster_workflow_runs r
 WHERE r.finished_at >= ?
 ORDER BY r.finished_at DESC LIMIT ?)
