-- What a key may start by its name.

ALTER TABLE muster_api_keys ADD COLUMN names text[] NOT NULL DEFAULT '{**}';
COMMENT ON COLUMN muster_api_keys.names IS 'Patterns of the names of jobs, functions and workflows that callers with the key may start. {**}: all; empty: none.';
