-- What is run in the template of the tests' databases (muster.test.template_sql), by each JVM again: the clock of each of them stands at 10:10 UTC on a
-- Wednesday in the middle of a month when the JVM begins to use the template. So no test ever sees a full hour, midnight or the end of a month. The day is in the past because ids
-- begin with the time of the JVM that made them: whoever looks for ids from a time of the database on must find them.
DO $do$
BEGIN
  IF to_regclass('muster_jobs') IS NULL THEN
    RETURN; -- A database of a test that has nothing of Muster's.
  END IF;

  -- Moves the clock of this database. What tests write and compare by hand, with now() or clock_timestamp(), moves with it.
  CREATE OR REPLACE FUNCTION test_clock_stands_at(target timestamptz) RETURNS void LANGUAGE plpgsql AS $function$
  DECLARE
    ahead text := extract(epoch FROM target - pg_catalog.clock_timestamp()) || ' seconds';
    day text;
  BEGIN
    EXECUTE format($$CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
      AS $body$ SELECT pg_catalog.clock_timestamp() + interval %L $body$ $$, ahead);
    EXECUTE format($$CREATE OR REPLACE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
      AS $body$ SELECT pg_catalog.statement_timestamp() + interval %L $body$ $$, ahead);
    EXECUTE format($$CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
      AS $body$ SELECT pg_catalog.clock_timestamp() + interval %L $body$ $$, ahead);
    EXECUTE format($$CREATE OR REPLACE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
      AS $body$ SELECT pg_catalog.now() + interval %L $body$ $$, ahead);
    EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
    -- As if the database had been made then.
    UPDATE muster_metrics_progress SET done_to = date_trunc('minute', target);
    UPDATE muster_leaders SET since = target, expires_at = target;
    UPDATE muster_server SET since = target;
    -- Days that were made for today would be old, or far ahead.
    FOR day IN SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class parent ON parent.oid = inhparent
               WHERE parent.relname LIKE 'muster%' AND parent.relkind = 'p'
                 AND right(inhrelid::regclass::text, 8) NOT BETWEEN to_char(target::date - 1, 'YYYYMMDD') AND to_char(target::date + 7, 'YYYYMMDD') LOOP
      EXECUTE 'DROP TABLE ' || day;
    END LOOP;
    PERFORM muster_prepare_history(7);
  END
  $function$;

  PERFORM test_clock_stands_at('2024-05-15 10:10:00+00');
END
$do$;
