-- Args and metadata of a claimed job that were too large to be returned by the claim. Along the primary key.
SELECT {schema}.muster_text(j.args), j.metadata FROM {schema}.muster_jobs j WHERE j.id = ? AND j.token = ?
