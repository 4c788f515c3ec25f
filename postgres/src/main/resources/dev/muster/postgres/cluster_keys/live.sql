-- The keys that have not expired, the newest first, and for how long each signs and is accepted, in microseconds. The table has a few rows.
SELECT k.number, k.secret, (extract(epoch FROM k.signs_until - t.now) * 1000000)::bigint AS signs_us,
       (extract(epoch FROM k.expires_at - t.now) * 1000000)::bigint AS left_us
FROM {schema}.muster_cluster_keys k, (SELECT {schema}.muster_statement_clock() AS now) t
WHERE k.expires_at > t.now
ORDER BY k.number DESC
