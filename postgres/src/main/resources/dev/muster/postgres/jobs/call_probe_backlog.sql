-- The backlog probe: finds jobs that claims would miss. It is a function with its own settings, because an idle node sends nothing else.
SELECT kind, queue, capability, rank, micros, running, number, timeline, claimers, peers, alike
FROM {schema}.muster_probe_backlog(?, ?::smallint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?, ?)
