-- Limits of queues: how many of their jobs run at a time in the whole cluster, and how many start in a time.

ALTER TABLE muster_queues
  ADD COLUMN max_running   integer,
  ADD COLUMN rate_per      integer,
  ADD COLUMN rate_interval interval,
  ADD COLUMN burst         integer,
  ADD COLUMN limited       boolean NOT NULL GENERATED ALWAYS AS (max_running IS NOT NULL OR rate_per IS NOT NULL) STORED,
  ADD CONSTRAINT muster_queues_limit_check CHECK (
    max_running >= 0 AND rate_per > 0 AND burst > 0 AND rate_interval > interval '0'
    AND (rate_per IS NULL) = (rate_interval IS NULL) AND (rate_per IS NULL) = (burst IS NULL));
COMMENT ON COLUMN muster_queues.max_running IS 'At most this many of its jobs are claimed or running at a time, on all nodes together; null: no limit.';
COMMENT ON COLUMN muster_queues.rate_per IS 'This many of its jobs are claimed per rate_interval; null: no limit.';
COMMENT ON COLUMN muster_queues.burst IS 'This many jobs may be claimed at once after a pause.';
COMMENT ON COLUMN muster_queues.limited IS 'Its jobs are claimed one claimer at a time, who holds a lock on this row.';

-- Apart from muster_queues, which every exchange reads: this row is written with every claim from a queue that has a rate.
CREATE TABLE muster_queue_rates (
  queue      text        NOT NULL PRIMARY KEY,
  paid_until timestamptz NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE muster_queue_rates IS 'How far the rates of queues are used up.';
COMMENT ON COLUMN muster_queue_rates.paid_until IS 'Each job that was claimed moved this by one rate_interval / rate_per. It may be ahead of the clock by a burst.';

ALTER TABLE muster_claims ADD COLUMN queue text;
COMMENT ON COLUMN muster_claims.queue IS 'The limited queue that these jobs were claimed from: they use its places. Null: their queue had no limit.';
-- For counting the places of a queue that are used.
CREATE INDEX muster_claims_queue ON muster_claims (queue, number) WHERE queue IS NOT NULL;
