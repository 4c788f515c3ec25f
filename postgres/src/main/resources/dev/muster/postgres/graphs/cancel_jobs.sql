-- Ends unclaimed jobs of tasks; this transaction has locked their rows.
WITH ended AS (DELETE FROM {schema}.muster_jobs j WHERE j.id = ANY (?::uuid[]) AND j.token IS NULL RETURNING j.*),
{jobs/parts/cancelled_into_history}
RETURNING id
