-- Runs for activations that come soon: only those without steps and with a short input, because they wait in memory. The
-- first look at its size is cheap, but sees the compressed one.
SELECT {workflows/parts/loaded}
WHERE r.id = ANY (?::uuid[]) AND pg_column_size(r.input) < 8192 AND octet_length({schema}.muster_text(r.input)) < 8192
  AND (SELECT s.seq FROM {schema}.muster_workflow_steps s WHERE s.run_id = r.id AND s.steps_from = r.steps_from LIMIT 1) IS NULL
