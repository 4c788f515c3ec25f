-- Locks waiting jobs before their edges are read by a separate, later statement. That statement then sees every edge that another
-- transaction has removed, so that when several parents end at once, one transaction notices that the last edge is gone.
SELECT j.id FROM {schema}.muster_jobs j WHERE j.id = ANY (?::uuid[]) AND j.ready_at = 'infinity' AND j.group_position IS NULL ORDER BY j.id FOR UPDATE
