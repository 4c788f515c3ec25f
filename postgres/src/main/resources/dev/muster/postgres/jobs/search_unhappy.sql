-- Jobs that did not complete, if there are few; null if index muster_job_history_unhappy has more of them than should be read for
-- one answer.
SELECT CASE WHEN (SELECT count(*) FROM (SELECT FROM {schema}.muster_job_history WHERE status <> 'completed' LIMIT ?) some_of_them) < ?
            THEN ARRAY (SELECT id FROM (SELECT id FROM {schema}.muster_job_history WHERE status <> 'completed' AND {filter}
                                        OFFSET 0) found
                        ORDER BY id DESC LIMIT ?) END AS found
