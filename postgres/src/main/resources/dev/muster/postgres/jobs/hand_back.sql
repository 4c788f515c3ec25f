-- Puts claimed jobs back in line: after a failure with a delay (the attempt counts), or released (delay null:
-- nothing counts, and the job goes first in its priority). A job that was asked to cancel meanwhile stays
-- claimed here and is finished as cancelled by the caller's next pass.
UPDATE {schema}.muster_jobs j
SET status = 'pending', token = NULL, node_id = NULL, lease_until = NULL, started_at = NULL,
    attempt = CASE WHEN o.delay_ms IS NULL THEN j.attempt - 1 ELSE j.attempt END,
    rank = CASE WHEN o.delay_ms IS NULL THEN j.priority + 1 ELSE j.priority END,
    run_at = CASE WHEN o.delay_ms IS NULL THEN j.run_at
                  ELSE {schema}.muster_clock() + o.delay_ms * interval '1 millisecond' END,
    ready_at = {schema}.muster_clock() + coalesce(o.delay_ms, 0) * interval '1 millisecond',
    suspect = j.suspect AND o.delay_ms IS NULL,
    error = coalesce(o.error, j.error)
FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::text[]) AS o (id, token, delay_ms, error)
WHERE j.id = o.id AND j.token = o.token
RETURNING j.id, o.token, j.queue, j.capability
