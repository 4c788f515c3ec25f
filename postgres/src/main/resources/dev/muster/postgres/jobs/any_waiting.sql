-- Whether anything waits for anything: edges, or jobs that wait although they have none left. Along index
-- muster_jobs_waiting, which has no entry as a rule.
SELECT EXISTS (SELECT FROM {schema}.muster_job_dependencies)
    OR EXISTS (SELECT FROM {schema}.muster_jobs WHERE ready_at = 'infinity')
