-- For ./verify -Dmuster.test.sql="$PWD/build/new-years-eve.sql": the clock of each test's database stands at 23:59:50 of a
-- 31 December, UTC, when the database is made, so that day, month and year change under the test.
DO $do$
DECLARE
  next_year timestamptz := date_trunc('year', clock_timestamp(), 'UTC') + interval '1 year';
  day text;
  ahead text := extract(epoch FROM next_year - interval '10 seconds' - clock_timestamp()) || ' seconds';
BEGIN
  IF to_regclass('muster_jobs') IS NULL THEN
    RETURN; -- A database of a test that has nothing of Muster's.
  END IF;
  EXECUTE format($$CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
    AS $body$ SELECT pg_catalog.clock_timestamp() + interval %L $body$ $$, ahead);
  EXECUTE format($$CREATE OR REPLACE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $body$ SELECT pg_catalog.statement_timestamp() + interval %L $body$ $$, ahead);
  -- What tests write and compare by hand goes by the same clock.
  EXECUTE format($$CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
    AS $body$ SELECT pg_catalog.clock_timestamp() + interval %L $body$ $$, ahead);
  EXECUTE format($$CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $body$ SELECT pg_catalog.now() + interval %L $body$ $$, ahead);
  EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
  -- As if the database had been made then: days that were made for today would be old.
  FOR day IN SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class parent ON parent.oid = inhparent
             WHERE parent.relname LIKE 'muster%' AND parent.relkind = 'p' LOOP
    EXECUTE 'DROP TABLE ' || day;
  END LOOP;
  PERFORM muster_prepare_history(7);
END
$do$;
