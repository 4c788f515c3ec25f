-- Events, signals and what operators do to runs: all that has to be decided under the lock of a run's row.

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Tells a parent that its child has ended, where no node ends the child. It locks the parent's row first, like everybody who sends an
-- event, and makes its driver due if it waits for this child.
CREATE OR REPLACE FUNCTION muster_tell_parent(
    child uuid, parent uuid, path text, ended_as text, problem text, OUT lane_queue text, OUT lane_capability text)
  LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  awaited text[];
  event text := 'muster:child:' || path;
BEGIN
  SELECT coalesce(r.awaiting, '{}') INTO awaited FROM muster_workflow_runs r WHERE r.id = parent FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO muster_workflow_events (run_id, event_id, name, payload, sent_at)
  VALUES (parent, event, event, jsonb_build_object('run', child, 'status', ended_as, 'result', NULL, 'error', problem), muster_clock())
  ON CONFLICT (run_id, event_id) DO UPDATE SET name = excluded.name, payload = excluded.payload, sent_at = excluded.sent_at, taken_by = NULL;
  IF event = ANY (awaited) THEN
    UPDATE muster_jobs j SET run_at = muster_clock(), ready_at = muster_clock(), rank = j.priority + 1
    WHERE j.id = parent AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > muster_clock()
    RETURNING j.queue, j.capability INTO lane_queue, lane_capability;
  END IF;
END $$;
COMMENT ON FUNCTION muster_tell_parent(uuid, uuid, text, text, text) IS 'Tells a run that its child has ended, and makes its driver due if it waits for it.';

-- An operator has given up a run: its driver goes, unless a node holds it. A run that is being executed notices when it stores its next
-- step. Muster's own statements set finished_at themselves.
CREATE OR REPLACE FUNCTION muster_run_given_up() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  NEW.finished_at := muster_clock();
  NEW.changed_at := NEW.finished_at;
  DELETE FROM muster_jobs WHERE id = NEW.id AND token IS NULL;
  IF NEW.parent_run IS NOT NULL THEN
    PERFORM muster_tell_parent(NEW.id, NEW.parent_run, NEW.parent_path, NEW.status, NEW.resolution_reason);
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER muster_run_given_up BEFORE UPDATE OF status ON muster_workflow_runs FOR EACH ROW
  WHEN (NEW.status IN ('retired_unresumable', 'cancelled_by_operator') AND OLD.finished_at IS NULL AND NEW.finished_at IS NULL)
  EXECUTE FUNCTION muster_run_given_up();

-- The first and the last run of the chain to which a run belongs; nothing if there is no such run. It locks nothing and looks at few rows,
-- however long the chain is: those behind the run that muster_workflow_chains names, or behind the given one if that is gone.
CREATE OR REPLACE FUNCTION muster_chain(run uuid, OUT first_of_chain uuid, OUT last_of_chain uuid)
  LANGUAGE plpgsql STABLE SET search_path FROM CURRENT
AS $$
DECLARE
  next uuid;
BEGIN
  SELECT coalesce(r.first_run, r.id), r.id, r.continued_as INTO first_of_chain, last_of_chain, next
  FROM muster_workflow_runs r WHERE r.id = run;
  IF next IS NOT NULL THEN
    SELECT r.id, r.continued_as INTO last_of_chain, next
    FROM muster_workflow_runs r WHERE r.id = (SELECT c.last_run FROM muster_workflow_chains c WHERE c.first_run = first_of_chain);
    IF NOT FOUND THEN
      last_of_chain := run;
      SELECT r.continued_as INTO next FROM muster_workflow_runs r WHERE r.id = run;
    END IF;
  END IF;
  WHILE next IS NOT NULL LOOP
    SELECT r.id, r.continued_as INTO run, next FROM muster_workflow_runs r WHERE r.id = next;
    EXIT WHEN NOT FOUND;
    last_of_chain := run;
  END LOOP;
END $$;
COMMENT ON FUNCTION muster_chain(uuid) IS 'The first and the last of the runs that continue one another to which a run belongs.';

-- Sends an event, to the last of the runs that continue this one. That run's row is locked first, and a run that parks does the same
-- (workflows/park.sql): so either the park sees the event, or this finds the driver parked. If it has just been continued, the next one is locked. Each statement of a
-- function has a snapshot of its own.
CREATE OR REPLACE FUNCTION muster_signal_run(
    run uuid, event text, event_name text, event_payload jsonb,
    OUT run_found boolean, OUT run_ended boolean, OUT known boolean, OUT lane_queue text, OUT lane_capability text)
  LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  receiver uuid := (SELECT c.last_of_chain FROM muster_chain(run) c);
  first    uuid;
  next     uuid;
  awaited  text[];
BEGIN
  known := false;
  LOOP
    SELECT r.finished_at IS NOT NULL, coalesce(r.awaiting, '{}'), r.first_run, r.continued_as
    INTO run_ended, awaited, first, next
    FROM muster_workflow_runs r WHERE r.id = receiver FOR NO KEY UPDATE;
    run_found := FOUND;
    EXIT WHEN NOT run_found OR NOT run_ended OR next IS NULL;
    receiver := next;
  END LOOP;
  IF NOT run_found OR run_ended THEN
    RETURN;
  END IF;
  IF first IS NOT NULL AND EXISTS (
      SELECT FROM muster_workflow_events e JOIN muster_workflow_runs r ON r.id = e.run_id
      WHERE e.event_id = event AND (r.first_run = first OR r.id = first)) THEN
    known := true;
    RETURN;
  END IF;
  INSERT INTO muster_workflow_events (run_id, event_id, name, payload, sent_at)
  VALUES (receiver, event, event_name, event_payload, muster_clock()) ON CONFLICT DO NOTHING;
  known := NOT FOUND;
  IF NOT known AND event_name = ANY (awaited) THEN
    UPDATE muster_jobs j SET run_at = muster_clock(), ready_at = muster_clock(), rank = j.priority + 1
    WHERE j.id = receiver AND j.token IS NULL AND j.status = 'pending' AND j.ready_at > muster_clock()
    RETURNING j.queue, j.capability INTO lane_queue, lane_capability;
  END IF;
END $$;
COMMENT ON FUNCTION muster_signal_run(uuid, text, text, jsonb) IS 'Sends an event to a run, and makes its driver due if it waits for it.';

-- Begins or continues to wait for an event: takes one, or finds out that the time is over, or leaves the step waiting.
CREATE OR REPLACE FUNCTION muster_await_event(
    run uuid, claim_token bigint, step_path text, step_name text, step_kind text, event_name text, timeout_ms bigint, node text,
    OUT held boolean, OUT step_status text, OUT step_result jsonb, OUT step_due timestamptz, OUT cancelled boolean)
  LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  since timestamptz;
  event text;
BEGIN
  SELECT r.steps_from, r.cancel_requested INTO since, cancelled
  FROM muster_workflow_runs r WHERE r.id = run AND r.finished_at IS NULL FOR NO KEY UPDATE;
  held := FOUND;
  IF held THEN
    PERFORM FROM muster_jobs j WHERE j.id = run AND j.token = claim_token FOR KEY SHARE;
    held := FOUND;
  END IF;
  IF NOT held THEN
    RETURN;
  END IF;
  INSERT INTO muster_workflow_steps
    (run_id, path, steps_from, seq, token, attempt, stored_at, due_at, kind, status, name, node_id)
  VALUES (run, step_path, since, nextval('muster_workflow_step_seq'), claim_token, 1, muster_clock(),
          muster_clock() + timeout_ms * interval '1 millisecond', step_kind, 'waiting', step_name, node)
  ON CONFLICT DO NOTHING;
  SELECT s.status, s.result, s.due_at INTO step_status, step_result, step_due
  FROM muster_workflow_steps s WHERE s.run_id = run AND s.path = step_path AND s.steps_from = since;
  IF step_status <> 'waiting' THEN
    RETURN;
  END IF;
  SELECT e.event_id, e.payload INTO event, step_result FROM muster_workflow_events e
  WHERE e.run_id = run AND e.name = event_name AND e.taken_by IS NULL ORDER BY e.sent_at, e.event_id LIMIT 1;
  IF FOUND THEN
    UPDATE muster_workflow_events e SET taken_by = step_path WHERE e.run_id = run AND e.event_id = event;
    step_status := 'completed';
  ELSIF step_due <= muster_clock() THEN
    step_status := 'timed_out';
  ELSE
    RETURN;
  END IF;
  UPDATE muster_workflow_steps s
  SET status = step_status, result = step_result, seq = nextval('muster_workflow_step_seq'), token = claim_token,
      stored_at = muster_clock(), node_id = node
  WHERE s.run_id = run AND s.path = step_path AND s.steps_from = since;
END $$;
COMMENT ON FUNCTION muster_await_event(uuid, bigint, text, text, text, text, bigint, text) IS 'Lets a step of a run wait for an event, for the claim with this token.';

-- The versions that have live runs and that no live node can resume. It hops along the index from version to version, so that the number
-- of runs does not matter.
CREATE OR REPLACE FUNCTION muster_stranded_runs(own text[])
  RETURNS TABLE (name text, version text, signature text, blocked text)
  LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  WITH RECURSIVE live AS (
    (SELECT r.workflow_name, r.workflow_version, r.signature FROM muster_workflow_runs r WHERE r.finished_at IS NULL
     ORDER BY r.workflow_name, r.workflow_version, r.signature LIMIT 1)
    UNION ALL
    SELECT next.* FROM live CROSS JOIN LATERAL (
      SELECT r.workflow_name, r.workflow_version, r.signature FROM muster_workflow_runs r
      WHERE r.finished_at IS NULL
        AND (r.workflow_name, r.workflow_version, r.signature) > (live.workflow_name, live.workflow_version, live.signature)
      ORDER BY r.workflow_name, r.workflow_version, r.signature LIMIT 1) next),
  served AS MATERIALIZED (
    SELECT DISTINCT h.driver FROM muster_verdicts() v JOIN muster_nodes n ON n.id = v.id, jsonb_object_keys(n.handlers) h (driver)
    WHERE v.verdict IN ('active', 'joining', 'draining', 'stale') AND h.driver LIKE 'workflow:%'
      AND EXISTS (SELECT FROM live)
    UNION SELECT unnest($1))
  SELECT live.workflow_name, live.workflow_version, live.signature,
         CASE WHEN EXISTS (SELECT FROM served WHERE starts_with(served.driver,
                             'workflow:' || live.workflow_name || ':' || live.workflow_version || ':'))
              THEN 'blocked_signature_mismatch'
              WHEN EXISTS (SELECT FROM served WHERE starts_with(served.driver, 'workflow:' || live.workflow_name || ':'))
              THEN 'blocked_missing_version'
              ELSE 'blocked_missing_handler' END
  FROM live
  WHERE NOT EXISTS (SELECT FROM served WHERE served.driver =
    'workflow:' || live.workflow_name || ':' || live.workflow_version || ':' || left(live.signature, 8))
$$;
COMMENT ON FUNCTION muster_stranded_runs(text[]) IS 'Versions of workflows with live runs that no live node has, and the status of those runs. The argument: drivers that the caller has itself.';

-- Drops the oldest day of steps that lies wholly before the retention. Runs that still exist take their steps to today first. A run is
-- moved only while no node holds its driver, and under the driver's lock: whoever stores a step holds that lock too, so that no step is
-- written to the old day meanwhile.
CREATE OR REPLACE FUNCTION muster_drop_steps_day(retain interval, most integer) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  oldest    text;
  first_day timestamptz;
  run       uuid;
  since     timestamptz;
  moved     integer := 0;
  changed   integer;
  steps     integer := 0;
  today     timestamptz := muster_clock();
BEGIN
  SELECT c.relname INTO oldest
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = to_regclass('muster_workflow_steps') AND c.relname ~ '^muster_workflow_steps_[0-9]{8}$'
    AND to_date(right(c.relname, 8), 'YYYYMMDD') < ((muster_clock() - retain) AT TIME ZONE 'UTC')::date
  ORDER BY c.relname LIMIT 1;
  IF oldest IS NULL THEN
    RETURN 'none';
  END IF;
  first_day := to_date(right(oldest, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC';
  FOR run, since IN
    SELECT r.id, r.steps_from FROM muster_workflow_runs r
    WHERE r.steps_from >= first_day AND r.steps_from < first_day + interval '1 day'
    -- Ordered by its index: in the order of the ids the planner might walk over all runs.
    ORDER BY r.steps_from LIMIT most FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM FROM muster_jobs j WHERE j.id = run FOR UPDATE SKIP LOCKED;
    IF EXISTS (SELECT FROM muster_jobs j WHERE j.id = run AND (j.token IS NOT NULL OR NOT FOUND)) THEN
      CONTINUE;
    END IF;
    UPDATE muster_workflow_steps s SET steps_from = today WHERE s.run_id = run AND s.steps_from = since;
    GET DIAGNOSTICS changed = ROW_COUNT;
    steps := steps + changed;
    UPDATE muster_workflow_runs r SET steps_from = today WHERE r.id = run;
    moved := moved + 1;
    -- Their rows are locked until the commit: runs with many steps are moved in several calls.
    EXIT WHEN steps >= 20 * most;
  END LOOP;
  IF EXISTS (SELECT FROM muster_workflow_runs r WHERE r.steps_from >= first_day AND r.steps_from < first_day + interval '1 day') THEN
    RETURN CASE WHEN moved > 0 THEN 'moved' ELSE 'busy' END;
  END IF;
  PERFORM set_config('lock_timeout', '200ms', true);
  EXECUTE format('DROP TABLE %I', oldest);
  RETURN oldest;
END $$;
COMMENT ON FUNCTION muster_drop_steps_day(interval, integer) IS 'Drops the oldest day of steps before the retention and returns its name; none, moved (call again) or busy (call later) if it did not.';

REVOKE EXECUTE ON FUNCTION muster_drop_steps_day(interval, integer), muster_stranded_runs(text[]), muster_run_given_up(), muster_tell_parent(uuid, uuid, text, text, text),
  muster_chain(uuid), muster_signal_run(uuid, text, text, jsonb),
  muster_await_event(uuid, bigint, text, text, text, text, bigint, text) FROM PUBLIC;
