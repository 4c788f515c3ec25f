-- What there is now of some runs, along the primary keys.
SELECT r.id, r.workflow_name, {events/parts/run_status} AS status, r.changed_at
FROM unnest(?::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (SELECT * FROM {schema}.muster_workflow_runs one WHERE one.id = wanted.id LIMIT 1) r
LEFT JOIN LATERAL {events/parts/driver} j ON true
