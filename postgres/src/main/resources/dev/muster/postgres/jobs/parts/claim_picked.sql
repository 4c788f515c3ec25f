-- Claims the picked jobs for the node of the note, and returns them. Args of up to 1,000 bytes are what nearly all jobs have: they are
-- printed as they are, and cut off where only digits can have taken them (see muster_text). The node takes no args that were cut off.
UPDATE {schema}.muster_jobs j
SET status = 'claimed', node_id = noted.node_id, token = nextval('{schema}.muster_job_token_seq'), attempt = attempt + 1,
    lease_until = noted.lease_until, started_at = NULL
FROM noted
WHERE j.ctid = ANY (ARRAY (SELECT tid FROM picked))
RETURNING j.id, j.token, j.name, j.queue, j.capability, j.rank, timestamptz_send(j.ready_at) AS ready_at,
  j.attempt, j.max_attempts, j.max_crashes, j.crashes, j.suspect, j.timeout_ms,
  CASE WHEN j.metadata IS NULL OR octet_length(j.metadata::text) <= noted.max_content THEN
         CASE WHEN pg_column_size(j.args) <= 1000 AND pg_column_compression(j.args) IS NULL THEN j.args::varchar(16384)
              ELSE {schema}.muster_text(j.args, least(noted.max_content, 4194304), NULL) END END AS args,
  CASE WHEN octet_length(j.metadata::text) <= noted.max_content THEN j.metadata END AS metadata,
  tidsend(j.ctid) AS tid, noted.number, EXISTS (SELECT FROM picked WHERE xmax_set) AS xmax_set, j.concurrency_group, j.trace
