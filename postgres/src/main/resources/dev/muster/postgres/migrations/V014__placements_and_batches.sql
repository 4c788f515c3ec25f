-- Placements that are in use.

-- Nodes ask each lane by itself, so a queue has a bounded number of them. A slot can be taken once: so the number holds however many
-- programs enqueue at the same time, and nobody has to count or to lock anything else.
CREATE TABLE muster_placements (
  queue      text        NOT NULL,
  slot       smallint    NOT NULL CHECK (slot BETWEEN 1 AND 200),
  expression text        NOT NULL,
  used_at    timestamptz NOT NULL,
  PRIMARY KEY (queue, slot),
  UNIQUE (queue, expression)
);
COMMENT ON TABLE muster_placements IS 'Expressions that jobs of a queue have as their capability, at most 200 per queue.';
COMMENT ON COLUMN muster_placements.used_at IS 'When a job with it was last enqueued, give or take an hour. Upkeep removes it a day later if no job has it.';
