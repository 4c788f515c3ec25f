-- How tasks of graphs are decided. Every caller holds the locks on the rows of the graphs. Each statement of a function has a snapshot of
-- its own, so what is read after the lock is what was committed before.

SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

CREATE OR REPLACE FUNCTION muster_trigger_decision(
    trigger text, parents_open int, required_open int, completed int, failed int, cancelled int, skipped int)
  RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE trigger
    WHEN 'all_success' THEN CASE WHEN failed + cancelled + skipped > 0 THEN 'skip' WHEN parents_open = 0 THEN 'ready' END
    WHEN 'any_success' THEN CASE WHEN completed > 0 THEN 'ready' WHEN required_open = 0 THEN 'skip' END
    WHEN 'all_done' THEN CASE WHEN parents_open = 0 THEN 'ready' END
    WHEN 'any_failed' THEN CASE WHEN failed > 0 THEN 'ready' WHEN required_open = 0 THEN 'skip' END
    WHEN 'none_failed' THEN CASE WHEN failed > 0 THEN 'skip' WHEN parents_open = 0 THEN 'ready' END
    WHEN 'all_skipped' THEN CASE WHEN completed + failed + cancelled > 0 THEN 'skip' WHEN parents_open = 0 THEN 'ready' END
  END
$$;
COMMENT ON FUNCTION muster_trigger_decision(text, int, int, int, int, int, int) IS 'What becomes of a waiting task: ready, skip, or null if it keeps waiting. Java decides alike: Trigger.';

-- Decides about tasks until nothing changes any more: level by level, in a loop. ended: tasks that have ended and that nobody has counted
-- yet. candidates: waiting tasks to look at if none has ended. Makes jobs of the tasks that are ready, and ends graphs without open tasks.
-- After 500 levels of skipped tasks it stops and marks the graph as undecided, so that no transaction takes seconds: muster_decide_rest
-- continues from there.
CREATE OR REPLACE FUNCTION muster_decide_tasks(
    ended_graphs uuid[], ended_numbers int[], candidate_graphs uuid[], candidate_numbers int[])
  RETURNS TABLE (lane_queue text, lane_capability text) LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  all_ended   uuid[] := coalesce(ended_graphs, '{}');
  ready_graphs  uuid[] := '{}';
  ready_numbers int[] := '{}';
  more_graphs   uuid[];
  more_numbers  int[];
  levels        int := 0;
BEGIN
  LOOP
    IF ended_graphs IS NOT NULL THEN
      WITH effect AS MATERIALIZED (
        SELECT e.graph_id, e.child, count(*) AS parents, count(*) FILTER (WHERE e.required) AS required,
               count(*) FILTER (WHERE e.required AND p.status = 'completed') AS completed,
               count(*) FILTER (WHERE e.required AND p.status = 'failed') AS failed,
               count(*) FILTER (WHERE e.required AND p.status = 'cancelled') AS cancelled,
               count(*) FILTER (WHERE e.required AND p.status = 'skipped') AS skipped
        FROM unnest(ended_graphs, ended_numbers) AS t (graph_id, number)
        JOIN muster_graph_tasks p ON p.graph_id = t.graph_id AND p.number = t.number
        JOIN muster_graph_edges e ON e.graph_id = t.graph_id AND e.parent = t.number
        GROUP BY e.graph_id, e.child),
      touched AS (
        UPDATE muster_graph_tasks c
        SET parents_open = c.parents_open - effect.parents, required_open = c.required_open - effect.required,
            required_completed = c.required_completed + effect.completed, required_failed = c.required_failed + effect.failed,
            required_cancelled = c.required_cancelled + effect.cancelled, required_skipped = c.required_skipped + effect.skipped
        FROM effect WHERE c.graph_id = effect.graph_id AND c.number = effect.child
        RETURNING c.graph_id, c.number, c.status)
      SELECT array_agg(graph_id), array_agg(number) INTO candidate_graphs, candidate_numbers FROM touched WHERE status = 'waiting';
      levels := levels + 1;
      IF levels > 500 AND candidate_graphs IS NOT NULL THEN
        UPDATE muster_graphs g SET undecided = true WHERE g.id = ANY (candidate_graphs);
        EXIT;
      END IF;
    END IF;
    WITH decided AS MATERIALIZED (
      SELECT t.graph_id, t.number, d.decision,
             CASE WHEN d.decision = 'skip' THEN
               CASE t.trigger WHEN 'any_success' THEN 'none of its required parents completed'
                              WHEN 'any_failed' THEN 'none of its required parents failed'
                              ELSE (SELECT 'parent ' || p.task_id || CASE p.status WHEN 'failed' THEN ' failed'
                                                                                   WHEN 'completed' THEN ' completed'
                                                                                   ELSE ' was ' || p.status END
                                    FROM muster_graph_edges e
                                    -- OFFSET 0: a plan that was made for a small table would read all tasks of the graph.
                                    CROSS JOIN LATERAL (
                                      SELECT p.task_id, p.status, p.number FROM muster_graph_tasks p
                                      WHERE p.graph_id = e.graph_id AND p.number = e.parent OFFSET 0) p
                                    WHERE e.graph_id = t.graph_id AND e.child = t.number AND e.required
                                      AND CASE t.trigger WHEN 'all_success' THEN p.status IN ('failed', 'cancelled', 'skipped')
                                                         WHEN 'none_failed' THEN p.status = 'failed'
                                                         ELSE p.status IN ('completed', 'failed', 'cancelled') END
                                    ORDER BY p.status = 'skipped', p.number LIMIT 1) END END AS why
      FROM unnest(candidate_graphs, candidate_numbers) AS c (graph_id, number)
      JOIN muster_graph_tasks t ON t.graph_id = c.graph_id AND t.number = c.number AND t.status = 'waiting'
      CROSS JOIN LATERAL (
        SELECT muster_trigger_decision(t.trigger, t.parents_open, t.required_open, t.required_completed, t.required_failed,
                                       t.required_cancelled, t.required_skipped) AS decision) d
      WHERE d.decision IS NOT NULL),
    changed AS (
      UPDATE muster_graph_tasks t
      SET status = CASE decided.decision WHEN 'ready' THEN 'enqueued' ELSE 'skipped' END, reason = decided.why,
          finished_at = CASE decided.decision WHEN 'skip' THEN muster_clock() END
      FROM decided WHERE t.graph_id = decided.graph_id AND t.number = decided.number
      RETURNING t.graph_id, t.number, t.status)
    SELECT array_agg(graph_id) FILTER (WHERE status = 'skipped'), array_agg(number) FILTER (WHERE status = 'skipped'),
           array_agg(graph_id) FILTER (WHERE status = 'enqueued'), array_agg(number) FILTER (WHERE status = 'enqueued')
    INTO ended_graphs, ended_numbers, more_graphs, more_numbers
    FROM changed;
    ready_graphs := ready_graphs || coalesce(more_graphs, '{}');
    ready_numbers := ready_numbers || coalesce(more_numbers, '{}');
    EXIT WHEN ended_graphs IS NULL;
    all_ended := all_ended || ended_graphs;
  END LOOP;

  UPDATE muster_graphs g SET open_tasks = g.open_tasks - e.tasks
  FROM (SELECT a.id, count(*) AS tasks FROM unnest(all_ended) AS a (id) GROUP BY a.id) e
  WHERE g.id = ANY (ARRAY[e.id]);
  UPDATE muster_graphs g
  SET finished_at = muster_clock(),
      status = CASE
        WHEN g.cancel_requested THEN 'cancelled'
        WHEN EXISTS (
          SELECT FROM muster_graph_tasks t
          WHERE t.graph_id = g.id AND t.status = 'failed'
            AND (EXISTS (SELECT FROM muster_graph_edges e WHERE e.graph_id = g.id AND e.parent = t.number AND e.required OFFSET 0)
                 OR NOT EXISTS (SELECT FROM muster_graph_edges e WHERE e.graph_id = g.id AND e.parent = t.number OFFSET 0)) OFFSET 0)
        THEN 'failed'
        WHEN EXISTS (SELECT FROM muster_graph_tasks t WHERE t.graph_id = g.id AND t.status = 'cancelled' OFFSET 0) THEN 'cancelled'
        ELSE 'completed' END
  WHERE g.id = ANY (all_ended) AND g.open_tasks = 0 AND g.finished_at IS NULL;

  RETURN QUERY
  WITH ready AS MATERIALIZED (
    SELECT t.* FROM unnest(ready_graphs, ready_numbers) AS r (graph_id, number)
    JOIN muster_graph_tasks t ON t.graph_id = r.graph_id AND t.number = r.number),
  jobs AS (
    INSERT INTO muster_jobs
      (id, name, queue, capability, priority, rank, run_at, ready_at, created_at, args, max_attempts, max_crashes, timeout_ms, metadata, tags,
       trace)
    SELECT ready.job_id, ready.name, ready.queue, ready.capability, ready.priority, ready.priority, c.now, c.now, c.now,
           jsonb_build_object('$muster', 'graph', 'graph', ready.graph_id, 'task', ready.task_id),
           ready.max_attempts, ready.max_crashes, ready.timeout_ms, ready.metadata, ready.tags, ready.trace
    FROM ready CROSS JOIN LATERAL (SELECT muster_clock() AS now WHERE ready.job_id IS NOT NULL) c
    RETURNING muster_jobs.queue, muster_jobs.capability)
  SELECT DISTINCT jobs.queue, jobs.capability FROM jobs;
END $$;
COMMENT ON FUNCTION muster_decide_tasks(uuid[], int[], uuid[], int[]) IS 'Decides about tasks after others have ended, and makes jobs of those that are ready. Returns the lanes of these jobs.';

-- Goes on deciding about the waiting tasks of these graphs if somebody stopped before all was decided. Leaves out graphs that another
-- transaction has locked.
CREATE OR REPLACE FUNCTION muster_decide_rest(graphs uuid[])
  RETURNS TABLE (lane_queue text, lane_capability text) LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  candidate_graphs  uuid[];
  candidate_numbers int[];
BEGIN
  graphs := ARRAY(SELECT g.id FROM muster_graphs g WHERE g.id = ANY (graphs) ORDER BY g.id FOR NO KEY UPDATE SKIP LOCKED);
  WITH undecided AS (
    UPDATE muster_graphs g SET undecided = false WHERE g.id = ANY (graphs) AND g.undecided RETURNING g.id)
  SELECT array_agg(t.graph_id), array_agg(t.number) INTO candidate_graphs, candidate_numbers
  FROM undecided JOIN muster_graph_tasks t ON t.graph_id = undecided.id AND t.status = 'waiting';
  IF candidate_graphs IS NOT NULL THEN
    RETURN QUERY SELECT d.lane_queue, d.lane_capability FROM muster_decide_tasks(NULL, NULL, candidate_graphs, candidate_numbers) d;
  END IF;
END $$;
COMMENT ON FUNCTION muster_decide_rest(uuid[]) IS 'Goes on with graphs that are marked as undecided. Returns the lanes of jobs that became claimable.';

-- Takes over how the jobs of tasks have ended, with their results, and decides what follows. Jobs of no task, live jobs and tasks that
-- were resolved already are left out. A job that is neither live nor in history was deleted by hand, or history was dropped: its task has
-- failed. Graphs of these jobs that are undecided are decided further; call it again with the same jobs while it says so.
DROP FUNCTION IF EXISTS muster_tasks_ended(uuid[]);
CREATE FUNCTION muster_tasks_ended(jobs uuid[])
  RETURNS TABLE (lane_queue text, lane_capability text, resolved int, undecided boolean) LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  graphs        uuid[];
  undecided_of  uuid[];
  ended_graphs  uuid[];
  ended_numbers int[];
BEGIN
  -- OFFSET 0 keeps the planner from walking all enqueued tasks instead of looking up each job.
  SELECT array_agg(DISTINCT t.graph_id), array_agg(DISTINCT t.graph_id) FILTER (WHERE t.undecided) INTO graphs, undecided_of
  FROM unnest(jobs) AS j (id)
  CROSS JOIN LATERAL (
    SELECT t.graph_id, t.status, (SELECT g.undecided FROM muster_graphs g WHERE g.id = t.graph_id) AS undecided
    FROM muster_graph_tasks t WHERE t.job_id = j.id OFFSET 0) t
  WHERE t.status = 'enqueued' OR t.undecided;
  IF graphs IS NULL THEN
    RETURN;
  END IF;
  PERFORM FROM muster_graphs g WHERE g.id = ANY (graphs) ORDER BY g.id FOR NO KEY UPDATE;
  IF undecided_of IS NOT NULL THEN
    RETURN QUERY SELECT d.lane_queue, d.lane_capability, 0, false FROM muster_decide_rest(undecided_of) d;
  END IF;
  WITH outcome AS MATERIALIZED (
    SELECT t.graph_id, t.number, h.id IS NOT NULL AS found, h.status, h.result, h.error, h.attempt, h.node_id, h.started_at, h.finished_at
    FROM unnest(jobs) AS u (id)
    CROSS JOIN LATERAL (
      SELECT t.graph_id, t.number, t.job_id, t.status FROM muster_graph_tasks t WHERE t.job_id = u.id OFFSET 0) t
    LEFT JOIN LATERAL (
      SELECT * FROM muster_job_history h WHERE h.id = t.job_id ORDER BY h.finished_at DESC LIMIT 1) h ON true
    WHERE t.status = 'enqueued'
      AND NOT EXISTS (SELECT FROM muster_jobs j WHERE j.id = t.job_id OFFSET 0)),
  taken AS (
    UPDATE muster_graph_tasks t
    SET status = CASE o.status WHEN 'completed' THEN 'completed' WHEN 'cancelled' THEN 'cancelled' ELSE 'failed' END,
        result = o.result, attempt = coalesce(o.attempt, t.attempt), node_id = o.node_id, started_at = o.started_at,
        finished_at = coalesce(o.finished_at, muster_clock()),
        error = CASE WHEN o.found THEN o.error ELSE 'its job is neither live nor in history: it was deleted' END,
        reason = CASE o.status WHEN 'cancelled' THEN coalesce(t.cancel_reason, 'its job was cancelled') END
    FROM outcome o WHERE t.graph_id = o.graph_id AND t.number = o.number
    RETURNING t.graph_id, t.number)
  SELECT array_agg(graph_id), array_agg(number) INTO ended_graphs, ended_numbers FROM taken;
  IF ended_graphs IS NOT NULL THEN
    RETURN QUERY
    SELECT d.lane_queue, d.lane_capability, 0, false FROM muster_decide_tasks(ended_graphs, ended_numbers, NULL, NULL) d;
  END IF;
  RETURN QUERY
  SELECT NULL::text, NULL::text, coalesce(cardinality(ended_numbers), 0),
         EXISTS (SELECT FROM muster_graphs g WHERE g.id = ANY (graphs) AND g.undecided);
END $$;
COMMENT ON FUNCTION muster_tasks_ended(uuid[]) IS 'Resolves the tasks whose jobs have ended. Returns the lanes of jobs that became claimable, and in a row without a lane how many tasks were resolved and whether to call it again.';
