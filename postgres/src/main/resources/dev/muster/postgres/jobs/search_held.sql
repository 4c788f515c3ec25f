-- Claimed and running jobs: those that muster_claims names.
SELECT ARRAY (
  SELECT id FROM {schema}.muster_jobs
  WHERE id = ANY (ARRAY (SELECT unnest(c.ids) FROM {schema}.muster_claims c)) AND {filter}
  ORDER BY id DESC LIMIT ?) AS found
