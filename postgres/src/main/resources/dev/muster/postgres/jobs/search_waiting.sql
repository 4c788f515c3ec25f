-- Jobs that wait: for other jobs, along index muster_jobs_waiting, or in line, along index muster_jobs_line; null if more of them stand in
-- line than should be read for one answer.
SELECT CASE WHEN (SELECT count(*) FROM (SELECT FROM {schema}.muster_jobs WHERE line IS NOT NULL AND ready_at = 'infinity' LIMIT ?) some_of_them) < ?
            THEN ARRAY (SELECT id FROM (
                          (SELECT id FROM {schema}.muster_jobs WHERE ready_at = 'infinity' AND line_at IS NULL AND {filter}
                           ORDER BY id DESC LIMIT ?)
                          UNION ALL
                          (SELECT id FROM {schema}.muster_jobs
                           WHERE line IS NOT NULL AND ready_at = 'infinity' AND line_at IS NOT NULL AND {filter} OFFSET 0)) found
                        ORDER BY id DESC LIMIT ?) END AS found
