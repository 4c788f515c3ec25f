-- Locks live jobs of tasks in the order of their ids, in a statement of its own. By the primary key.
SELECT j.id FROM {schema}.muster_jobs j WHERE j.id = ANY (?::uuid[]) ORDER BY j.id FOR UPDATE
