-- The first job from an id on that waits for others, along index muster_jobs_waiting; the clock; and whether there are live graphs and
-- sealed batches, along indexes muster_graphs_live and muster_batches_sealed. Every job with edges waits, so the edges need not be read.
SELECT (SELECT j.id FROM {schema}.muster_jobs j WHERE j.ready_at = 'infinity' AND j.group_position IS NULL AND j.id >= ? ORDER BY j.id LIMIT 1) AS id,
       (date_part('epoch', {schema}.muster_statement_clock()) * 1000)::bigint AS asked_millis,
       EXISTS (SELECT FROM {schema}.muster_graphs g WHERE g.finished_at IS NULL OFFSET 0) AS graphs,
       EXISTS (SELECT FROM {schema}.muster_batches b WHERE b.closed_at IS NULL AND b.sealed_at IS NOT NULL OFFSET 0) AS batches
