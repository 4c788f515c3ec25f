-- Which server the tables are on, and Muster's own count of servers.

-- Functions keep the search_path that is set here. It names pg_temp last: if it is not named, PostgreSQL searches it first and finds
-- whatever any role has put there.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION muster_wal_timeline() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ('x' || substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::bigint;
EXCEPTION WHEN undefined_function OR feature_not_supported THEN
  RETURN 0;
END $$;
COMMENT ON FUNCTION muster_wal_timeline() IS 'PostgreSQL''s timeline; 0 where the engine has none.';

CREATE OR REPLACE FUNCTION muster_system_identifier() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c);
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN NULL;
END $$;
COMMENT ON FUNCTION muster_system_identifier() IS 'The identifier that a cluster got from initdb; null where it may not be read.';

-- A promotion gives a server PostgreSQL's next timeline, and the count grows with it: two servers that were promoted one after the
-- other have different counts, even if the second never heard of the first. In all other cases (pg_upgrade and pg_resetwal, where
-- PostgreSQL's timeline starts again; a restored dump; a logical copy) it is not known what was issued after the copy was made, so
-- the count continues at the clock's seconds. Sequences continue at the clock's microseconds, so that no token that was lost with the
-- old server, or missing in a logical copy, is issued a second time.
CREATE OR REPLACE FUNCTION muster_timeline() RETURNS bigint
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
      -- Nodes that notice the change at the same time wait for each other here; all but the first find that it is done.
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
-- Every role may call it: it only makes the change that the first caller after a move has to make.

-- Adds the row of a new schema.
INSERT INTO muster_server (timeline, wal_timeline, system_identifier, table_oid, since)
SELECT muster_wal_timeline(), muster_wal_timeline(), muster_system_identifier(), 'muster_server'::regclass, clock_timestamp()
ON CONFLICT (only_row) DO NOTHING;
