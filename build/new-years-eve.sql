-- For -Dmuster.test.sql, which ./verify --long sets for one more round: the clock of each test's database stands at 23:59:50 of a
-- 31 December, UTC, when the database is made, so that day, month and year change under the test.
DO $do$
BEGIN
  IF to_regproc('test_clock_stands_at') IS NOT NULL THEN
    PERFORM test_clock_stands_at('2024-12-31 23:59:50+00');
  END IF;
END
$do$;
