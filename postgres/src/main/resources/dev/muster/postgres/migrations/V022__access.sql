-- API keys of the gateway, and the audit of what operators did.

CREATE TABLE muster_api_keys (
  id           text        NOT NULL PRIMARY KEY CHECK (id ~ '^[a-z0-9]{12}$'),
  hash         bytea       NOT NULL CHECK (octet_length(hash) = 32),
  name         text        NOT NULL,
  scopes       text[]      NOT NULL,
  roles        text[]      NOT NULL DEFAULT '{}',
  tenant       text,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  replaced_by  text
) WITH (fillfactor = 80);
COMMENT ON TABLE muster_api_keys IS 'The keys with which callers reach the gateway. Upkeep removes keys that ended history.audit_retain ago.';
COMMENT ON COLUMN muster_api_keys.id IS 'A part of the key''s text: mk_ID_SECRET.';
COMMENT ON COLUMN muster_api_keys.hash IS 'The SHA-256 of the key''s whole text, which is stored nowhere. Roles that only read do not get this column.';
COMMENT ON COLUMN muster_api_keys.name IS 'For people; several keys may have the same.';
COMMENT ON COLUMN muster_api_keys.scopes IS 'read, write or admin; the highest one counts.';
COMMENT ON COLUMN muster_api_keys.roles IS 'The application''s own roles, which functions may require.';
COMMENT ON COLUMN muster_api_keys.tenant IS 'Whose things alone the key may use. Null: those of all.';
COMMENT ON COLUMN muster_api_keys.expires_at IS 'From then on the key is refused; brought forward when the key is rotated. Null: never.';
COMMENT ON COLUMN muster_api_keys.revoked_at IS 'From then on the key is refused. Null: never.';
COMMENT ON COLUMN muster_api_keys.last_used_at IS 'When a node last accepted it, give or take a minute. Null: never.';
COMMENT ON COLUMN muster_api_keys.replaced_by IS 'The key that it was rotated to. Null: none.';

CREATE TABLE muster_audit (
  id          bigint      NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  at          timestamptz NOT NULL,
  caller      text        NOT NULL,
  caller_name text        NOT NULL,
  address     text,
  tenant      text,
  action      text        NOT NULL,
  target      text        NOT NULL,
  details     text        NOT NULL,
  request_id  text,
  node        text        NOT NULL,
  outcome     text
);
CREATE INDEX muster_audit_at ON muster_audit (at);
CREATE INDEX muster_audit_caller ON muster_audit (caller, id);
CREATE INDEX muster_audit_action ON muster_audit (action, id);
CREATE INDEX muster_audit_target ON muster_audit (target, id);
COMMENT ON TABLE muster_audit IS 'Who did what to the cluster. An entry is committed before its action begins, or together with it. Upkeep removes entries after history.audit_retain.';
COMMENT ON COLUMN muster_audit.at IS 'When the action began.';
COMMENT ON COLUMN muster_audit.caller IS 'key:ID, jwt:SUBJECT, or program:NODE for programs and the command line.';
COMMENT ON COLUMN muster_audit.caller_name IS 'The caller''s name, for people.';
COMMENT ON COLUMN muster_audit.address IS 'The network address that the call came from. Null: none.';
COMMENT ON COLUMN muster_audit.tenant IS 'The caller''s tenant. Null: none.';
COMMENT ON COLUMN muster_audit.action IS 'Such as queues.pause.';
COMMENT ON COLUMN muster_audit.target IS 'What the action was done to; empty: nothing in particular.';
COMMENT ON COLUMN muster_audit.details IS 'A JSON object.';
COMMENT ON COLUMN muster_audit.request_id IS 'By which the answer to the caller and the logs name the request. Null: no request.';
COMMENT ON COLUMN muster_audit.node IS 'The node that did it.';
COMMENT ON COLUMN muster_audit.outcome IS 'done, refused: … or failed: …. Null: not known, because the action is still running or its node ended before it could say.';
