-- Creates a batch; nothing if its id exists.
INSERT INTO {schema}.muster_batches (id, name, condition, success_rate, completion_job, deciding_job, created_at)
VALUES (?, ?, ?, ?::double precision, ?, ?, {schema}.muster_clock())
ON CONFLICT (id) DO NOTHING
