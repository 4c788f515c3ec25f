-- Pauses a queue; one that is paused keeps the time it was paused at. By the primary key.
INSERT INTO {schema}.muster_queues AS q (name, paused_at) VALUES (?, {schema}.muster_clock())
ON CONFLICT (name) DO UPDATE SET paused_at = coalesce(q.paused_at, excluded.paused_at)
