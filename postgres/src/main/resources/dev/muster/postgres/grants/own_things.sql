-- The objects in the schema that belong to Muster: those with its prefix whose owner is the owner of muster_migrations, because
-- in a shared schema other programs may have objects with that prefix. Without partitions: see Grants.
WITH own AS (
  SELECT c.relowner AS owner, c.relnamespace AS schema
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ? AND c.relname = 'muster_migrations' AND c.relkind = 'r')
SELECT CASE WHEN c.relname = 'muster_migrations' THEN 'MIGRATIONS' WHEN c.relkind = 'v' THEN 'VIEW'
            WHEN c.relkind = 'S' THEN 'SEQUENCE'
            WHEN c.relname IN ('muster_api_keys', 'muster_cluster_keys') THEN 'KEYS' ELSE 'TABLE' END AS kind,
       format('%I.%I', n.nspname, c.relname) AS name
FROM pg_catalog.pg_class c JOIN own ON c.relnamespace = own.schema AND c.relowner = own.owner
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE starts_with(c.relname, 'muster_') AND c.relkind IN ('r', 'p', 'v', 'S') AND NOT c.relispartition
UNION ALL
SELECT CASE WHEN p.prosecdef THEN 'OWNERS_FUNCTION' ELSE 'FUNCTION' END, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid))
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = ? AND starts_with(p.proname, 'muster_')
  AND p.proowner = (SELECT own.owner FROM own) AND p.prorettype <> 'trigger'::pg_catalog.regtype
ORDER BY kind, name
