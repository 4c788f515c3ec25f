-- Stores the next key unless one still signs. Of two nodes that do so at the same time one gets the number. The table has a few rows.
INSERT INTO {schema}.muster_cluster_keys (number, secret, created_at, signs_until, expires_at)
SELECT coalesce(max(k.number), 0) + 1, ?, t.now, t.now + ? * interval '1 millisecond', t.now + ? * interval '1 millisecond'
FROM (SELECT {schema}.muster_clock() AS now) t LEFT JOIN {schema}.muster_cluster_keys k ON true
GROUP BY t.now
HAVING coalesce(max(k.signs_until), '-infinity') <= t.now
ON CONFLICT (number) DO NOTHING
