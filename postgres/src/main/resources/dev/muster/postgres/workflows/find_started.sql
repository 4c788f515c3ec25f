-- The runs that hold these ids or keys.
SELECT r.id, r.workflow_name, r.key, r.key_kid, encode(r.key_hash, 'hex') FROM {schema}.muster_workflow_runs r WHERE r.id = ANY (?::uuid[])
UNION
SELECT r.id, r.workflow_name, r.key, r.key_kid, encode(r.key_hash, 'hex')
FROM unnest(?::text[], ?::text[]) AS k (name, key)
JOIN {schema}.muster_workflow_runs r ON r.workflow_name = k.name AND r.key = k.key
