-- Records the last progress of handlers before their outcomes are written in the same transaction. A progress report that the node
-- sends at the same time either comes before both or finds no claim. Waits for a locked row, as outcomes do.
UPDATE {schema}.muster_jobs j SET progress = o.percent, progress_message = o.message
FROM unnest(?::uuid[], ?::bigint[], ?::smallint[], ?::text[]) AS o (id, token, percent, message)
WHERE j.id = ANY (ARRAY[o.id]) AND j.token = o.token
