-- The columns of muster_api_keys that a role may see that only reads: all but the hash.
SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = '{schema}.muster_api_keys'::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'hash'
