-- The columns of a table of keys that a role may see that only reads: all but the hash or the secret.
SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = (?::text)::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname NOT IN ('hash', 'secret')
