-- Jobs that wait: for other jobs, along index muster_jobs_waiting, or for admission, along index muster_jobs_concurrency_group; null if more of them wait for admission
-- than should be read for one answer.
SELECT CASE WHEN (SELECT count(*) FROM (SELECT FROM {schema}.muster_jobs WHERE concurrency_group IS NOT NULL AND ready_at = 'infinity' LIMIT ?) some_of_them) < ?
            THEN ARRAY (SELECT id FROM (
                          (SELECT id FROM {schema}.muster_jobs WHERE ready_at = 'infinity' AND group_position IS NULL AND {filter}
                           ORDER BY id DESC LIMIT ?)
                          UNION ALL
                          (SELECT id FROM {schema}.muster_jobs
                           WHERE concurrency_group IS NOT NULL AND ready_at = 'infinity' AND group_position IS NOT NULL AND {filter} OFFSET 0)) found
                        ORDER BY id DESC LIMIT ?) END AS found
