-- The status of a run r with the driver j, as workflows/parts/columns.sql shows it.
CASE WHEN r.finished_at IS NULL AND j.token IS NOT NULL AND r.status <> 'compensating' THEN 'running' ELSE r.status END
