-- Locks live jobs of tasks in the order of their ids, in a statement of its own. By the primary key. Leaves out those that another
-- transaction has locked: it may be a handler's, which stays open for long.
SELECT j.id FROM {schema}.muster_jobs j WHERE j.id = ANY (?::uuid[]) ORDER BY j.id FOR UPDATE SKIP LOCKED
