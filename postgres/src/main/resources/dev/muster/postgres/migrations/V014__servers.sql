-- Muster's own count of servers, which orders fences across failovers, upgrades, restores and moves.

CREATE TABLE muster_server (
  only_row          boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (only_row),
  timeline          bigint      NOT NULL,
  wal_timeline      bigint      NOT NULL,
  system_identifier bigint,
  table_oid         oid         NOT NULL,
  since             timestamptz NOT NULL
);
COMMENT ON TABLE muster_server IS 'The server that these tables are on, one row. A node that finds itself on another server than the row says raises the timeline.';
COMMENT ON COLUMN muster_server.timeline IS 'The first half of every fence. Starts as PostgreSQL''s timeline, grows whenever the tables are found on another server, and never goes back.';
COMMENT ON COLUMN muster_server.wal_timeline IS 'PostgreSQL''s own timeline: grows at a promotion, starts again at 1 after pg_upgrade. Set it to 0 to have the next node raise the timeline.';
COMMENT ON COLUMN muster_server.system_identifier IS 'Of the cluster, see pg_control_system(); null: its reader was not allowed to know.';
COMMENT ON COLUMN muster_server.table_oid IS 'Of this table when the row was written: another one after a dump was restored.';
COMMENT ON COLUMN muster_server.since IS 'When the timeline was last raised.';

CREATE FUNCTION muster_wal_timeline() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ('x' || substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::bigint;
EXCEPTION WHEN undefined_function OR feature_not_supported THEN
  RETURN 0;
END $$;
COMMENT ON FUNCTION muster_wal_timeline() IS 'PostgreSQL''s timeline; 0 where the engine has none.';

CREATE FUNCTION muster_system_identifier() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c);
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN NULL;
END $$;
COMMENT ON FUNCTION muster_system_identifier() IS 'The identifier that a cluster got from initdb; null where it may not be read.';

-- A promotion gives a server the next timeline of PostgreSQL, and the count goes with it: two servers that were promoted one
-- after the other have different counts, also if the second never heard of the first. In all other cases (pg_upgrade and
-- pg_resetwal, where PostgreSQL's timeline starts again; a restored dump; a logical copy) nothing is known about what was
-- issued after the copy was made, and the count goes on at the seconds of the clock. Sequences go on at its microseconds, so
-- that no token that was lost with the last server, or forgotten by a logical copy, is issued a second time.
CREATE FUNCTION muster_timeline() RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '3s'
AS $$
DECLARE
  wal    bigint;
  system bigint;
  known  record;
  raised bigint;
  number text;
  epoch  numeric := extract(epoch FROM clock_timestamp());
BEGIN
  IF pg_is_in_recovery() THEN
    RETURN NULL;
  END IF;
  wal := muster_wal_timeline();
  system := muster_system_identifier();
  FOR try IN 1 .. 2 LOOP
    IF try = 1 THEN
      SELECT s.*, s.table_oid = s.tableoid AND coalesce(s.system_identifier = system, true) AS same INTO known
      FROM muster_server s;
    ELSE
      -- Nodes that find out together take turns here, and all but the first find that it has been done.
      SELECT s.*, s.table_oid = s.tableoid AND coalesce(s.system_identifier = system, true) AS same INTO known
      FROM muster_server s FOR UPDATE;
    END IF;
    IF known.same AND known.wal_timeline = wal THEN
      RETURN known.timeline;
    END IF;
  END LOOP;
  raised := CASE WHEN known.same AND known.wal_timeline > 0 AND wal > known.wal_timeline
                 THEN known.timeline + wal - known.wal_timeline
                 ELSE greatest(known.timeline + 1, wal, epoch::bigint) END;
  INSERT INTO muster_server AS s (timeline, wal_timeline, system_identifier, table_oid, since)
  VALUES (raised, wal, system, 'muster_server'::regclass, clock_timestamp())
  ON CONFLICT (only_row) DO UPDATE SET
    timeline = excluded.timeline, wal_timeline = excluded.wal_timeline,
    system_identifier = excluded.system_identifier, table_oid = excluded.table_oid, since = excluded.since;
  FOREACH number IN ARRAY ARRAY['muster_job_token_seq', 'muster_fence_seq', 'muster_job_log_seq'] LOOP
    PERFORM setval(number::regclass, greatest(nextval(number::regclass) + 1000000, (epoch * 1000000)::bigint));
  END LOOP;
  RETURN raised;
END $$;
COMMENT ON FUNCTION muster_timeline() IS 'The timeline of this server, raised first if the tables are found on another server than muster_server says; null on a standby. Runs with its owner''s rights: a node''s role needs none to set sequences.';
-- Anybody may call it: it changes nothing but what has to be changed, whoever is the first to notice.

INSERT INTO muster_server (timeline, wal_timeline, system_identifier, table_oid, since)
SELECT muster_wal_timeline(), muster_wal_timeline(), muster_system_identifier(), 'muster_server'::regclass, clock_timestamp();

COMMENT ON COLUMN muster_leaders.timeline IS 'Of muster_server at the election. Once that has been raised the reign is over.';
ALTER TABLE muster_leaders ADD COLUMN session_pid integer, ADD COLUMN session_started timestamptz;
COMMENT ON COLUMN muster_leaders.session_pid IS 'The server process of the leader''s control connection, as of its last renewal.';
COMMENT ON COLUMN muster_leaders.session_started IS 'When that process started: process ids are used again.';

-- History and logs have no key. Without a replica identity a publication of all tables would refuse every delete from them.
-- As before, and with that.
CREATE OR REPLACE FUNCTION muster_prepare_days(parent text, days integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  today date := (muster_clock() AT TIME ZONE 'UTC')::date;
  part  text;
  made  integer := 0;
BEGIN
  IF parent NOT IN ('muster_job_history', 'muster_job_logs', 'muster_metrics') THEN
    RAISE EXCEPTION '% is not kept by day', parent;
  END IF;
  IF NOT EXISTS (SELECT FROM generate_series(-1, days) d
                 WHERE to_regclass(parent || '_' || to_char(today + d, 'YYYYMMDD')) IS NULL) THEN
    RETURN 0;
  END IF;
  -- Conflicts with itself and with nothing that reads or writes: nodes that start together take turns.
  EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
  FOR d IN -1 .. days LOOP
    part := parent || '_' || to_char(today + d, 'YYYYMMDD');
    IF to_regclass(part) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
      IF parent <> 'muster_metrics' THEN
        EXECUTE format('ALTER TABLE %I REPLICA IDENTITY FULL', part);
      END IF;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, part, (today + d)::text || ' 00:00:00+00', (today + d + 1)::text || ' 00:00:00+00');
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

DO $$
DECLARE
  part regclass;
BEGIN
  FOR part IN SELECT i.inhrelid::regclass FROM pg_inherits i
              WHERE i.inhparent IN ('muster_job_history'::regclass, 'muster_job_logs'::regclass) ORDER BY i.inhrelid LOOP
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', part);
  END LOOP;
END $$;
