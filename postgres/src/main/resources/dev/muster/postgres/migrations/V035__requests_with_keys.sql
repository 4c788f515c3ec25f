-- What the keys of runs and graphs stand for, and no args in the audit.

ALTER TABLE muster_workflow_runs ADD COLUMN key_kid text, ADD COLUMN key_hash bytea;
COMMENT ON COLUMN muster_workflow_runs.key_hash IS 'SHA-256 of the input, or, if it is encrypted, an HMAC of workflow, key and input under the encryption key key_kid. Null: the run has no key.';
COMMENT ON COLUMN muster_workflow_runs.key_kid IS 'Null: the input is in plain text.';

ALTER TABLE muster_graphs ADD COLUMN key_kid text, ADD COLUMN key_hash bytea;
COMMENT ON COLUMN muster_graphs.key_hash IS 'SHA-256 of the name and the tasks, or, if they are encrypted, an HMAC of key, name and tasks under the encryption key key_kid. Null: the graph has no key.';
COMMENT ON COLUMN muster_graphs.key_kid IS 'Null: the tasks are in plain text.';

-- Entries used to have the whole body, with the args of crons, and the messages of refusals, which may quote them. Along index muster_audit_action.
UPDATE muster_audit SET details = '{}' WHERE action IN ('crons.create', 'crons.update');
-- A request that was not done may have had anything in its body.
UPDATE muster_audit SET details = '{}' WHERE outcome IS DISTINCT FROM 'done' AND details LIKE '%"body"%';
UPDATE muster_audit SET outcome = 'refused: invalid_request'
WHERE action IN ('crons.create', 'crons.update') AND outcome LIKE 'refused: %';
COMMENT ON COLUMN muster_audit.caller IS 'key:ID, jwt:SUBJECT, cli:USER@HOST for commands on the database, or program:NODE for programs.';
COMMENT ON COLUMN muster_audit.details IS 'A JSON object: parameters, and the members of the body that the route names. Never args.';
COMMENT ON COLUMN muster_audit.outcome IS 'done, refused: …, failed: …, or unknown: … if the connection broke during a commit. Null: not known, because the action is still running or its node ended before it could say.';
