-- Locks waiting jobs before their edges are looked at, in a statement of its own: the next one then sees every edge
-- that another transaction has removed, so the last of several parents is noticed by someone.
SELECT j.id FROM {schema}.muster_jobs j WHERE j.id = ANY (?::uuid[]) AND j.ready_at = 'infinity' ORDER BY j.id FOR UPDATE
