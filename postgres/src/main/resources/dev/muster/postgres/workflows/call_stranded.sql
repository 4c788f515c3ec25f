-- The versions that no live node can resume.
SELECT name, version, signature, blocked FROM {schema}.muster_stranded_runs(?)
