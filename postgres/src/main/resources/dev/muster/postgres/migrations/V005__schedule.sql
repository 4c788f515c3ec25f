-- Crons, their ticks, and their definitions in code.

CREATE TABLE muster_crons (
  name           text        NOT NULL PRIMARY KEY,
  expression     text        NOT NULL,
  zone           text        NOT NULL,
  misfire        text        NOT NULL CHECK (misfire IN ('skip', 'fire_once', 'catch_up')),
  catch_up_limit integer     NOT NULL CHECK (catch_up_limit BETWEEN 1 AND 1000),
  overlap        text        NOT NULL CHECK (overlap IN ('allow', 'skip')),
  jitter_ms      bigint      NOT NULL CHECK (jitter_ms >= 0),
  job_name       text        NOT NULL,
  args           jsonb       NOT NULL,
  queue          text,
  capability     text,
  priority       smallint,
  max_attempts   smallint,
  max_crashes    smallint,
  timeout_ms     bigint,
  source         text        NOT NULL CHECK (source IN ('static', 'dynamic')),
  fingerprint    text        NOT NULL,
  paused_at      timestamptz,
  next_tick      timestamptz,
  last_tick      timestamptz,
  last_job       uuid,
  problem        text,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  gone_at        timestamptz,
  retry_at       timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_crons IS 'Schedules that enqueue jobs.';
COMMENT ON COLUMN muster_crons.args IS 'JSON, or the envelope of encrypted JSON, for the jobs.';
COMMENT ON COLUMN muster_crons.queue IS 'Null, as in the columns that follow: what the job''s handler says.';
COMMENT ON COLUMN muster_crons.source IS 'static: written in code, and gone with it; dynamic: created at run time, and deleted there.';
COMMENT ON COLUMN muster_crons.fingerprint IS 'Of the definition in force; see muster_cron_definitions.';
COMMENT ON COLUMN muster_crons.paused_at IS 'Since when it does not tick; null: it does.';
COMMENT ON COLUMN muster_crons.next_tick IS 'Null until a leader has computed it: after creation, a resumption, or a change of its schedule while no tick was due.';
COMMENT ON COLUMN muster_crons.last_tick IS 'The last tick that gave a job.';
COMMENT ON COLUMN muster_crons.last_job IS 'The job of last_tick.';
COMMENT ON COLUMN muster_crons.problem IS 'Why its last tick gave no job; null: it did.';
COMMENT ON COLUMN muster_crons.gone_at IS 'Since when no live node publishes this static cron; null: one does, or the cron is dynamic. A cron that is gone does not tick and keeps its next_tick.';
COMMENT ON COLUMN muster_crons.retry_at IS 'A cron that could not be fired is not tried again before this.';
CREATE INDEX muster_crons_next ON muster_crons (next_tick) WHERE paused_at IS NULL;

CREATE TABLE muster_cron_ticks (
  cron     text        NOT NULL,
  tick     timestamptz NOT NULL,
  fired_at timestamptz NOT NULL,
  job_id   uuid,
  PRIMARY KEY (cron, tick)
);
CREATE INDEX muster_cron_ticks_age ON muster_cron_ticks (fired_at);
COMMENT ON TABLE muster_cron_ticks IS 'One row per tick that was handled, written with its job: whoever comes second writes nothing.';
COMMENT ON COLUMN muster_cron_ticks.job_id IS 'Null: skipped, because the job of an earlier tick had not ended.';

CREATE TABLE muster_cron_definitions (
  cron           text        NOT NULL,
  fingerprint    text        NOT NULL,
  expression     text        NOT NULL,
  zone           text        NOT NULL,
  misfire        text        NOT NULL,
  catch_up_limit integer     NOT NULL,
  overlap        text        NOT NULL,
  jitter_ms      bigint      NOT NULL,
  job_name       text        NOT NULL,
  args           jsonb       NOT NULL,
  queue          text,
  capability     text,
  priority       smallint,
  max_attempts   smallint,
  max_crashes    smallint,
  timeout_ms     bigint,
  first_seen     timestamptz NOT NULL,
  published_at   timestamptz NOT NULL,
  PRIMARY KEY (cron, fingerprint)
) WITH (fillfactor = 50);
COMMENT ON TABLE muster_cron_definitions IS 'What code says about static crons. During a rolling deployment old and new code disagree: the newest definition that is still published is in force.';
COMMENT ON COLUMN muster_cron_definitions.first_seen IS 'When the first node published it: of two, the later is the newer code.';
COMMENT ON COLUMN muster_cron_definitions.published_at IS 'When a live node last did; nodes repeat it every minute.';
