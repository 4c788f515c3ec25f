-- Limits of queues: what is looked up under an open transaction, and what a new limit still has to count.

ALTER TABLE muster_queue_rates
  ADD COLUMN second timestamptz NOT NULL DEFAULT '-infinity',
  DROP CONSTRAINT muster_queue_rates_pkey,
  ADD PRIMARY KEY (queue, second);
COMMENT ON TABLE muster_queue_rates IS 'How far the rates of queues are used up: one row for each queue.';
COMMENT ON COLUMN muster_queue_rates.second IS 'In which second the row was written last. It is in the key, so that a lookup meets no older versions, which an open transaction keeps.';

ALTER TABLE muster_queues
  ADD COLUMN count_again_after bigint,
  ADD COLUMN count_again_at    timestamptz;
COMMENT ON COLUMN muster_queues.count_again_after IS 'Transactions up to this number may have claimed jobs of the queue before it had a limit, which are not noted yet. Null: they were waited for.';
COMMENT ON COLUMN muster_queues.count_again_at IS 'Not before then does a claimer note once more the jobs that were claimed before the queue had a limit. Null: all are noted.';
