-- A look is a statement of its own, without a transaction that could bring limits: whoever holds the table for long must
-- not collect the looks of all nodes behind it.
DO $$
DECLARE
  look regprocedure;
BEGIN
  FOR look IN SELECT oid FROM pg_proc WHERE proname LIKE 'muster\_look%' AND pronamespace = current_schema()::regnamespace LOOP
    EXECUTE format('ALTER FUNCTION %s SET lock_timeout = ''10s''', look);
  END LOOP;
END $$;
