-- Removes the keys that have expired. The table has a few rows.
DELETE FROM {schema}.muster_cluster_keys WHERE expires_at <= {schema}.muster_clock()
