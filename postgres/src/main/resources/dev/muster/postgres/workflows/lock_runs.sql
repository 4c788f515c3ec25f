-- Locks runs, and the parents of those that end, before anything is decided about them: whoever sends an event does the same. Runs that
-- somebody else has locked are left for later, because plain jobs are written in the same transaction. The next statements look at
-- those that were locked. Parents that are null find nothing; were they left out here, the planner could walk the index of all children.
SELECT set_config('muster.locked_runs', coalesce(array_agg(locked.id), '{}')::text, true)
FROM (SELECT r.id FROM {schema}.muster_workflow_runs r
      WHERE r.id = ANY (ARRAY(
        SELECT unnest(?::uuid[])
        UNION SELECT c.parent_run FROM {schema}.muster_workflow_runs c WHERE c.id = ANY (?::uuid[])))
      ORDER BY r.id FOR NO KEY UPDATE OF r SKIP LOCKED) locked
