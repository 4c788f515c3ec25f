-- Sealed batches from a given one on, each with a job of it that is live, if there is one: the one that was live at the last look, by
-- the primary key, or else the newest, along index muster_jobs_batch. Jobs usually end in the order in which they were enqueued, so the
-- newest is live for long, and the ended ones before it are not walked over. The known live jobs come as a JSON object, in which each
-- batch finds its own by a binary search.
WITH known AS MATERIALIZED (SELECT ?::jsonb AS jobs)
SELECT b.id, b.condition, b.cancel_requested,
       coalesce((SELECT j.id FROM {schema}.muster_jobs j WHERE j.id = (SELECT (known.jobs ->> b.id::text)::uuid FROM known)),
                (SELECT j.id FROM {schema}.muster_jobs j WHERE j.batch_id = b.id ORDER BY j.created_at DESC LIMIT 1)) AS live_job
FROM {schema}.muster_batches b
WHERE b.closed_at IS NULL AND b.sealed_at IS NOT NULL AND b.id > ?
ORDER BY b.id LIMIT ?
