-- Closing batches. Each statement of these functions has a snapshot of its own: what is looked at under a lock is looked at after it was
-- granted.

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Enqueues one of the jobs of a batch, with the counts in its metadata; does nothing if it was enqueued before.
CREATE OR REPLACE FUNCTION muster_enqueue_batch_job(
    b muster_batches, job uuid, live_jobs bigint, OUT lane_queue text, OUT lane_capability text)
  LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  WITH taken AS (DELETE FROM muster_batch_jobs w WHERE w.batch_id = b.id AND w.job_id = job RETURNING w.*)
  INSERT INTO muster_jobs
    (id, name, queue, capability, priority, rank, ready_at, args, max_attempts, max_crashes, timeout_ms, metadata, tags, batch_id,
     trace)
  SELECT t.job_id, t.name, t.queue, t.capability, t.priority, t.priority, muster_clock(), t.args, t.max_attempts, t.max_crashes,
         t.timeout_ms,
         coalesce(t.metadata, '{}') || jsonb_build_object(
           'muster.batch', b.id::text, 'muster.batch.name', b.name, 'muster.batch.status', b.status,
           'muster.batch.live', live_jobs::text, 'muster.batch.completed', b.completed::text, 'muster.batch.failed', b.failed::text,
           'muster.batch.cancelled', b.cancelled::text, 'muster.batch.expired', b.expired::text),
         t.tags, CASE WHEN job = b.deciding_job THEN b.id END, t.trace
  FROM taken t
  RETURNING muster_jobs.queue, muster_jobs.capability INTO lane_queue, lane_capability;
END $$;

-- Closes a batch if its condition is decided. Waits shortly for the lock: transactions that add jobs share it, and whoever ends such a
-- job, or the leader, tries again.
CREATE OR REPLACE FUNCTION muster_close_batch(batch uuid, OUT closed boolean, OUT lane_queue text, OUT lane_capability text)
  LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '200ms'
AS $$
DECLARE
  b         muster_batches;
  any_live  boolean;
  live_jobs bigint := 0;
  total     bigint;
  decision  text;
  counted   record;
BEGIN
  closed := false;
  SELECT m.* INTO b FROM muster_batches m WHERE m.id = batch AND m.closed_at IS NULL AND m.sealed_at IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  any_live := EXISTS (SELECT FROM muster_jobs j WHERE j.batch_id = batch);
  IF any_live AND (b.cancel_requested OR b.condition IN ('all', 'decided')) THEN
    RETURN;
  END IF;
  IF any_live AND b.condition = 'any'
      AND NOT (b.completed > 0 OR EXISTS (SELECT FROM muster_job_history h WHERE h.batch_id = batch AND h.status = 'completed')) THEN
    RETURN;
  END IF;
  -- Live and ended jobs are counted by one statement: a job that ends, or is retried, between two would be counted twice or not at all.
  SELECT (SELECT count(*) FROM muster_jobs j WHERE j.batch_id = batch) AS live,
         count(*) FILTER (WHERE h.status = 'completed') AS completed, count(*) FILTER (WHERE h.status = 'failed') AS failed,
         count(*) FILTER (WHERE h.status = 'cancelled') AS cancelled, count(*) FILTER (WHERE h.status = 'expired') AS expired
  INTO counted
  FROM muster_job_history h WHERE h.batch_id = batch;
  live_jobs := counted.live;
  IF live_jobs > 0 AND (b.cancel_requested OR b.condition IN ('all', 'decided')) THEN
    RETURN;
  END IF;
  IF b.asked_at IS NOT NULL THEN
    -- The deciding job is not counted.
    SELECT h.status INTO decision FROM muster_job_history h WHERE h.id = b.deciding_job ORDER BY h.finished_at DESC LIMIT 1;
    counted.completed := counted.completed - (decision IS NOT DISTINCT FROM 'completed')::int;
    counted.failed := counted.failed - (decision IS NOT DISTINCT FROM 'failed')::int;
    counted.cancelled := counted.cancelled - (decision IS NOT DISTINCT FROM 'cancelled')::int;
    counted.expired := counted.expired - (decision IS NOT DISTINCT FROM 'expired')::int;
  END IF;
  b.completed := b.completed + counted.completed;
  b.failed := b.failed + counted.failed;
  b.cancelled := b.cancelled + counted.cancelled;
  b.expired := b.expired + counted.expired;
  total := live_jobs + b.completed + b.failed + b.cancelled + b.expired;
  IF b.cancel_requested THEN
    b.status := 'cancelled';
  ELSIF b.condition = 'any' AND live_jobs > 0 AND b.completed = 0 THEN
    RETURN;
  ELSIF b.condition = 'any' THEN
    b.status := CASE WHEN b.completed > 0 THEN 'succeeded' ELSE 'failed' END;
  ELSIF b.condition = 'success_rate' THEN
    IF b.completed >= b.success_rate::numeric * total THEN
      b.status := 'succeeded';
    ELSIF b.completed + live_jobs < b.success_rate::numeric * total THEN
      b.status := 'failed';
    ELSE
      RETURN;
    END IF;
  ELSIF b.condition = 'decided' AND b.asked_at IS NULL THEN
    UPDATE muster_batches m SET asked_at = muster_clock() WHERE m.id = batch;
    SELECT e.lane_queue, e.lane_capability INTO lane_queue, lane_capability FROM muster_enqueue_batch_job(b, b.deciding_job, 0) e;
    RETURN;
  ELSIF b.condition = 'decided' THEN
    b.status := CASE WHEN decision = 'completed' THEN 'succeeded' ELSE 'failed' END;
  ELSE
    b.status := CASE WHEN b.completed = total THEN 'succeeded' ELSE 'failed' END;
  END IF;
  closed := true;
  UPDATE muster_batches m
  SET status = b.status, closed_at = muster_clock(), live = live_jobs, completed = b.completed, failed = b.failed,
      cancelled = b.cancelled, expired = b.expired
  WHERE m.id = batch;
  SELECT e.lane_queue, e.lane_capability INTO lane_queue, lane_capability FROM muster_enqueue_batch_job(b, b.completion_job, live_jobs) e;
  DELETE FROM muster_batch_jobs w WHERE w.batch_id = batch;
END $$;
COMMENT ON FUNCTION muster_close_batch(uuid) IS 'Closes a sealed batch if its condition is decided, and enqueues its completion job in the same transaction; or enqueues the job that has to decide. Returns whether it has closed it, and the lane of the job.';
