-- Functions that run with their owner's rights: who may call them, and where they look for names.

-- Only roles that were granted it may call it, as the other functions that keep the partitions.
REVOKE EXECUTE ON FUNCTION muster_summarize_history(timestamptz) FROM PUBLIC;

-- Where pg_temp is not named, PostgreSQL looks there first, and any role may create a temporary table of any name. So each
-- function that keeps a search_path names pg_temp last, whatever the search_path was when the function was created.
DO $$
DECLARE
  func regprocedure;
BEGIN
  FOR func IN SELECT p.oid::regprocedure FROM pg_proc p
              WHERE p.pronamespace = current_schema()::regnamespace AND p.proname LIKE 'muster\_%'
                AND p.proowner = (SELECT c.relowner FROM pg_class c WHERE c.oid = 'muster_jobs'::regclass)
                AND EXISTS (SELECT FROM unnest(p.proconfig) AS setting WHERE setting LIKE 'search\_path=%')
              ORDER BY p.oid LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path TO %I, pg_temp', func, current_schema());
  END LOOP;
END $$;
