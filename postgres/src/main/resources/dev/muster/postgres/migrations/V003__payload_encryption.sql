-- Encrypted args: the hash beside an idempotency key is then a keyed one.

ALTER TABLE muster_job_keys ADD COLUMN args_kid text;
COMMENT ON COLUMN muster_job_keys.args_hash IS 'SHA-256 of the args, or, if they are encrypted, an HMAC of name, key and args under the encryption key args_kid.';
COMMENT ON COLUMN muster_job_keys.args_kid IS 'Null: the args are in plain text.';
COMMENT ON COLUMN muster_jobs.args IS 'JSON, or the envelope of encrypted JSON: {"$muster": scheme, "kid": key id, "data": base64}.';
COMMENT ON COLUMN muster_job_history.result IS 'JSON, or an envelope as in args.';
