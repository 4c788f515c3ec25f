-- How many pages the table of live jobs has.
SELECT pg_relation_size('{schema}.muster_jobs'::regclass) / current_setting('block_size')::bigint
