-- What belongs to a tenant: the jobs whose metadata names it, their keys, their groups and their placements.

-- Each tenant has at most 20 of the placements of a queue, by the same means by which a queue has at most 200: a slot can be taken once.
ALTER TABLE muster_placements ADD COLUMN tenant text;
ALTER TABLE muster_placements ADD COLUMN tenant_slot smallint CHECK (tenant_slot BETWEEN 1 AND 20);
CREATE UNIQUE INDEX muster_placements_tenant ON muster_placements (queue, tenant, tenant_slot) WHERE tenant IS NOT NULL;
COMMENT ON COLUMN muster_placements.tenant IS 'The tenant whose job has brought the placement. Null: a job of no tenant.';
COMMENT ON COLUMN muster_placements.tenant_slot IS 'Which of the slots of that tenant it takes.';

-- Keys begin with @ if they are of a tenant, and with @/ if a key without a tenant begins with @: see TenantKey. Until now a gateway stored the
-- keys of tenants as acme/order-17, and programs as they were. If there are both, the one that a program has stored stays as it is.
UPDATE muster_job_keys k SET key = '@/' || k.key
WHERE starts_with(k.key, '@')
  AND NOT EXISTS (SELECT FROM muster_jobs j WHERE j.id = k.job_id AND j.metadata ->> 'tenant' <> '')
  AND NOT EXISTS (SELECT FROM muster_job_history j WHERE j.id = k.job_id AND j.metadata ->> 'tenant' <> '');
UPDATE muster_job_keys k SET key = '@' || CASE WHEN starts_with(k.key, held.prefix) THEN '' ELSE held.prefix END || k.key
FROM (
  SELECT j.id, replace(replace(j.metadata ->> 'tenant', '%', '%25'), '/', '%2F') || '/' AS prefix
  FROM muster_jobs j WHERE j.key IS NOT NULL AND j.metadata ->> 'tenant' <> ''
  UNION
  SELECT j.id, replace(replace(j.metadata ->> 'tenant', '%', '%25'), '/', '%2F') || '/'
  FROM muster_job_history j WHERE j.key IS NOT NULL AND j.metadata ->> 'tenant' <> '') held
WHERE k.job_id = held.id
  AND (starts_with(k.key, held.prefix)
       OR NOT EXISTS (SELECT FROM muster_job_keys o WHERE o.name = k.name AND o.key = held.prefix || k.key));

-- The jobs themselves: their keys, and the groups of their keys. Only groups of a key have one after their kind, or after kind and job.
CREATE FUNCTION muster_name_space(metadata jsonb, key text) RETURNS text
  LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE WHEN $1 ->> 'tenant' <> '' THEN '@' || replace(replace($1 ->> 'tenant', '%', '%25'), '/', '%2F') || '/'
              WHEN starts_with($2, '@') THEN '@/' ELSE '' END || $2
$$;
CREATE FUNCTION muster_group_of_tenant(metadata jsonb, concurrency_group text) RETURNS text
  LANGUAGE plpgsql IMMUTABLE
  SET search_path FROM CURRENT
AS $$
DECLARE
  kind text := split_part(concurrency_group, '/', 1) || '/' || CASE WHEN split_part(concurrency_group, '/', 1) IN ('fifo', 'fair') THEN '' ELSE split_part(concurrency_group, '/', 2) || '/' END;
BEGIN
  RETURN CASE WHEN starts_with(concurrency_group, kind) THEN kind || muster_name_space(metadata, substr(concurrency_group, length(kind) + 1)) ELSE concurrency_group END;
END $$;
UPDATE muster_jobs
SET key = CASE WHEN metadata ->> 'tenant' <> '' AND starts_with('@' || key, muster_name_space(metadata, '')) THEN '@' || key
               ELSE muster_name_space(metadata, key) END,
    concurrency_group = muster_group_of_tenant(metadata, concurrency_group)
WHERE (key IS NOT NULL OR concurrency_group IS NOT NULL) AND (metadata ->> 'tenant' <> '' OR starts_with(key, '@') OR concurrency_group LIKE '%/@%');
UPDATE muster_job_history
SET key = CASE WHEN metadata ->> 'tenant' <> '' AND starts_with('@' || key, muster_name_space(metadata, '')) THEN '@' || key
               ELSE muster_name_space(metadata, key) END,
    concurrency_group = muster_group_of_tenant(metadata, concurrency_group)
WHERE (key IS NOT NULL OR concurrency_group IS NOT NULL) AND (metadata ->> 'tenant' <> '' OR starts_with(key, '@') OR concurrency_group LIKE '%/@%');
DROP FUNCTION muster_group_of_tenant(jsonb, text);
DROP FUNCTION muster_name_space(jsonb, text);

-- The jobs of tenants, which their lists walk along. A job without a tenant costs nothing in them, and no claim writes their columns.
CREATE INDEX muster_jobs_tenant ON muster_jobs ((metadata ->> 'tenant'), id) WHERE (metadata ->> 'tenant') IS NOT NULL;
CREATE INDEX muster_job_history_tenant ON muster_job_history ((metadata ->> 'tenant'), id) WHERE (metadata ->> 'tenant') IS NOT NULL;
COMMENT ON COLUMN muster_jobs.key IS 'Its idempotency key: order-17, or @acme/order-17 if it belongs to the tenant acme.';
COMMENT ON COLUMN muster_job_keys.key IS 'The key of a job without a tenant as its caller wrote it, with @/ before one that begins with @; that of a tenant with the tenant before it: @acme/order-17.';
