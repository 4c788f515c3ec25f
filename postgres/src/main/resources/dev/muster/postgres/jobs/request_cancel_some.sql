-- Asks claimed and running jobs that the filter names to stop; leaves those alone whose row is locked just now. No index: it
-- reads all live jobs, or those of one tenant.
UPDATE {schema}.muster_jobs SET cancel_requested = true WHERE id IN (
  SELECT id FROM {schema}.muster_jobs
  WHERE status IN ('claimed', 'running') AND NOT cancel_requested{filter}
  ORDER BY {order} FOR UPDATE SKIP LOCKED)
